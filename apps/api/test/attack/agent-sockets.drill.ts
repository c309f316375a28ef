import { Socket } from 'node:net';
import type { Agent } from '#contracts';
import { apiRoutes, type ApiRoute } from '../support/api-routes.js';
import { eventually } from '../support/eventually.js';
import { startFakeUpstream, type FakeUpstream } from '../support/fake-upstream.js';
import { startGateway, type Gateway } from '../support/gateway.js';
import { McpAgent } from '../support/mcp-client.js';

/**
 * The gateway checks every destination before it opens a socket for an agent. In this test the gateway may reach the
 * forbidden place: the operator lists it for targets and for callbacks, and the owner has a service there. But this
 * agent has neither access to that service nor the host in its callback hosts.
 */
let gateway: Gateway;
let elsewhere: FakeUpstream;
/** Addresses to which this process has opened, or tried to open, a socket. */
const opened: string[] = [];

beforeAll(async () => {
  elsewhere = await startFakeUpstream();
  const { hostAndPort } = elsewhere;
  gateway = await startGateway({ PRIVATE_TARGET_ALLOWLIST: hostAndPort, CALLBACK_PRIVATE_HOSTS: hostAndPort });
  await gateway.createService({ name: 'Elsewhere', baseUrl: elsewhere.url });
  const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
  jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]): Socket {
    this.on('connectionAttempt', (address: string, port: number) => opened.push(`${address}:${port}`));
    return connect.apply(this, args);
  });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await gateway.close();
  await elsewhere.close();
});
beforeEach(() => {
  opened.length = 0;
  gateway.model.answer({ score: 0 });
});

/** Spellings of the forbidden place: as a URL, without a scheme, and in forms that parsers read differently. */
const spellings = () => [
  `${elsewhere.url}/secret`,
  elsewhere.hostAndPort,
  `//${elsewhere.hostAndPort}/secret`,
  `${gateway.upstream.url}@${elsewhere.hostAndPort}/`,
  `${gateway.upstream.url}/v1/..//${elsewhere.hostAndPort}/`,
  `/\\${elsewhere.hostAndPort}`,
];
const HEADERS = [
  ['X-Forwarded-Host', 'Forwarded', 'X-Original-URL', 'X-Rewrite-URL', 'Referer', 'Origin', 'Location', 'Link'],
  ['X-Http-Host-Override', 'X-Callback-Url', 'Webhook-Callback', 'X-Forwarded-Server', 'Proxy', 'From', 'Prefer'],
].flat();

const headersTo = (where: string): Record<string, string> => Object.fromEntries(HEADERS.map((name) => [name, where]));

/** Valid values for the fields that are not under test, so that the request passes validation. */
const honest = (): Record<string, unknown> => ({
  method: 'GET',
  targetUrl: `${gateway.upstream.url}/v1/customers`,
  intent: 'look',
  url: `${elsewhere.url}/hook`,
});

/** One call for each field that may name a place, one for each path parameter and one for the headers. */
function listCalls({ method, path, params, fields }: ApiRoute, where: string): { path: string; body?: object }[] {
  const values: Record<string, string> = { service: 'shop', actionId: '00000000-0000-4000-8000-000000000000' };
  const filled = (over: Record<string, string>) =>
    path.replace(/\{(\w+)\}/g, (_all, name: string) => over[name] ?? values[name] ?? 'x');
  const paths = [filled({}), ...params.map((name) => filled({ [name]: encodeURIComponent(where) }))];
  paths.push(...params.map((name) => filled({ [name]: where })), `${filled({})}?url=${encodeURIComponent(where)}`);
  if (fields === null) return paths.map((each) => ({ path: each, ...(method === 'GET' ? {} : { body: {} }) }));
  const bodies = fields.map((field) => ({ ...honest(), [field]: where }));
  const nested = { ...honest(), headers: headersTo(where), body: JSON.stringify({ url: where, callback: where }) };
  return [...bodies, nested].map((body) => ({ path: filled({}), body }));
}

it('no endpoint takes an agent to an unchecked destination, whichever field, header or path names it', async () => {
  const routes = (await apiRoutes(gateway.app)).filter(({ guard }) => guard === 'agentKey');
  expect(routes.length).toBeGreaterThan(10);
  for (const route of routes) {
    for (const where of spellings()) {
      for (const { path, body } of listCalls(route, where)) {
        if (!URL.canParse(gateway.url + path)) continue;
        await gateway
          .agentCall(route.method, path, body && JSON.stringify(body), headersTo(where.replace(/[^!-~]/g, '')))
          .catch(() => undefined);
      }
    }
  }
  await gateway.app.settled();
  const allowed = [gateway.upstream.url, gateway.model.url, gateway.url, gateway.app.databaseUrl].map(
    (url) => new URL(url).port,
  );
  expect(opened.filter((address) => !allowed.includes(address.split(':').at(-1)!))).toEqual([]);
  expect(elsewhere.connections).toBe(0);
  // The requests passed validation: the permitted ones were forwarded.
  expect(gateway.upstream.calls.length).toBeGreaterThan(0);
});

it('no MCP tool takes an agent to an unchecked destination', async () => {
  const agent = await McpAgent.connect(gateway.url, { 'Agent-Key': gateway.agentKey });
  const { tools } = await agent.client.listTools();
  expect(tools.length).toBeGreaterThan(3);
  for (const { name, inputSchema } of tools) {
    for (const where of spellings()) {
      for (const field of Object.keys(inputSchema.properties ?? {})) {
        const given = { service: 'Shop', method: 'GET', path: '/customers', intent: 'look', [field]: where };
        await agent.call(name, given).catch(() => undefined);
      }
    }
  }
  await agent.close();
  expect(elsewhere.connections).toBe(0);
});

it('neither an approved request nor a callback takes an agent to an unchecked destination', async () => {
  const refused = await gateway.agentCall('PUT', '/agent/callback', JSON.stringify({ url: `${elsewhere.url}/hook` }), {
    'Content-Type': 'application/json',
  });
  expect(refused.status).toBe(403);
  const { action_id: id } = await gateway.hold({ headers: headersTo(elsewhere.url) });
  await gateway.approve(id);
  expect((await gateway.execute(id, headersTo(elsewhere.url))).status).toBe(200);
  await gateway.app.settled();
  expect(elsewhere.connections).toBe(0);

  // After the owner allows the host, the callback arrives. So the counter above works.
  await gateway.admin<Agent>(`PUT /agents/${gateway.agent.id}`, { callbackHosts: [elsewhere.hostAndPort] });
  const made = await gateway.agentCall('PUT', '/agent/callback', JSON.stringify({ url: `${elsewhere.url}/hook` }), {
    'Content-Type': 'application/json',
  });
  expect(made.status).toBe(200);
  await gateway.agentCall('POST', '/agent/callback/test', undefined, {});
  await eventually(() => elsewhere.calls.length === 1);
});
