/**
 * The third-party APIs of the demo: a small shop with customers and orders in memory, and the few GitHub calls that
 * examples/octokit.mjs makes. Both require a bearer token. Uses only node: built-ins.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * @typedef {object} SampleApi
 * @property {string} baseUrl
 * @property {string} githubUrl the base URL of the API that behaves like GitHub
 * @property {string} hostAndPort for `PRIVATE_TARGET_ALLOWLIST`
 * @property {string} token the value that it requires as `Authorization: Bearer`
 * @property {() => Promise<void>} stop
 *
 * @typedef {{status: number, body?: unknown}} Answer
 * @typedef {{id: number, name: string, email: string}} Customer
 * @typedef {{id: number, customerId: number, total: number, status: string}} Order
 */

/**
 * Listens on a free port of this machine, with a new token and the same data at each start.
 * @returns {Promise<SampleApi>}
 */
export async function startSampleApi() {
  const token = `shop_${randomBytes(16).toString('hex')}`;
  const answerShop = shop();
  const answerGithub = github();
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
    request.on('end', () => {
      const authorized = request.headers.authorization === `Bearer ${token}`;
      const { status, body } = authorized
        ? (request.url?.startsWith('/github/') ? answerGithub : answerShop)(
            request.method ?? '',
            request.url ?? '/',
            Buffer.concat(chunks).toString(),
          )
        : { status: 401, body: { error: 'A valid bearer token is required' } };
      response.writeHead(status, body === undefined ? {} : { 'Content-Type': 'application/json' });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    githubUrl: `http://127.0.0.1:${port}/github`,
    hostAndPort: `127.0.0.1:${port}`,
    token,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** @returns {(method: string, path: string, body: string) => Answer} */
function shop() {
  /** @type {Map<number, Customer>} */
  const customers = byId([
    { id: 41, name: 'Grace Hopper', email: 'grace@example.com' },
    { id: 42, name: 'Alan Turing', email: 'alan@example.com' },
    { id: 43, name: 'Edsger Dijkstra', email: 'edsger@example.com' },
  ]);
  /** @type {Map<number, Order>} */
  const orders = byId([
    { id: 1001, customerId: 41, total: 129.9, status: 'paid' },
    { id: 1002, customerId: 42, total: 18.5, status: 'open' },
  ]);
  const notFound = { status: 404, body: { error: 'Not found' } };

  return (method, path, body) => {
    const [, collection, id] = /^\/v1\/(customers|orders)(?:\/(\d+))?(?:\?|$)/.exec(path) ?? [];
    if (collection === undefined) return notFound;
    const things = collection === 'customers' ? customers : orders;
    if (id === undefined) return method === 'GET' ? { status: 200, body: [...things.values()] } : notAllowed();
    const thing = things.get(Number(id));
    if (thing === undefined) return notFound;
    if (method === 'GET') return { status: 200, body: thing };
    if (method === 'DELETE' && collection === 'customers') {
      customers.delete(thing.id);
      for (const order of orders.values()) if (order.customerId === thing.id) orders.delete(order.id);
      return { status: 204 };
    }
    return method === 'PATCH' && 'total' in thing ? changeStatus(thing, body) : notAllowed();
  };
}

/** One repository with branches that can be listed and deleted. @returns {(method: string, path: string) => Answer} */
function github() {
  const branches = new Set(['main', 'release', 'old-experiment']);
  return (method, path) => {
    const [, rest] = /^\/github\/repos\/acme\/shop\/([^?]+)/.exec(path) ?? [];
    if (method === 'GET' && rest === 'branches') {
      return { status: 200, body: [...branches].map((name) => ({ name, protected: name === 'main' })) };
    }
    const branch = /^git\/refs\/heads\/(.+)$/.exec(decodeURIComponent(rest ?? ''))?.[1];
    if (method === 'DELETE' && branch !== undefined) {
      return branches.delete(branch)
        ? { status: 204 }
        : { status: 422, body: { message: 'Reference does not exist', status: '422' } };
    }
    return { status: 404, body: { message: 'Not Found', status: '404' } };
  };
}

/** @returns {Answer} */
function changeStatus(/** @type {Order} */ order, /** @type {string} */ body) {
  const status = /"status"\s*:\s*"(open|paid|refunded)"/.exec(body)?.[1];
  if (status === undefined) return { status: 400, body: { error: 'status must be open, paid or refunded' } };
  order.status = status;
  return { status: 200, body: order };
}

const notAllowed = () => ({ status: 405, body: { error: 'Method not allowed' } });

/** @template {{id: number}} T @param {T[]} things @returns {Map<number, T>} */
const byId = (things) => new Map(things.map((thing) => [thing.id, thing]));
