import { readFileSync } from 'node:fs';
import { createServer, isIP, Socket, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { EgressClient, type Resolver } from '#egress';
import { newAgentKey } from '../../src/crypto/agent-keys.js';
import { CredentialCipher } from '../../src/crypto/credential-cipher.js';
import { credentialBinding } from '../../src/credentials/encrypted-credentials.js';
import type { ProxyAnswer } from '../support/gateway.js';
import { SECRET, startGateway, type Gateway } from '../support/gateway.js';

/**
 * Sends every case of the corpus through the real `POST /proxy`, with a service registered for it, as if a user had
 * been tricked into that. The status doesn't matter: no case may open a socket.
 */
interface CorpusCase {
  name: string;
  targetUrl: string;
  baseUrl?: string;
  resolves?: string[];
}

interface Attempt {
  name: string;
  targetUrl: string;
  agentKey: string;
}

const corpus = JSON.parse(
  readFileSync(join(process.cwd(), 'libs/egress/test/egress-corpus.json'), 'utf8'),
) as CorpusCase[];
const PARALLEL = 8;
const PUBLIC_NAME = 'gateway.example.com';

let gateway: Gateway;
/** Listens on every address of this machine. */
let stub: Server;
let stubPort: number;
let stubConnections = 0;
/** Addresses to which the egress client has opened, or tried to open, a socket. */
const opened: string[] = [];
/** Names that it has looked up although no case defines them. */
const lookedUp: string[] = [];
const names = new Map<string, () => string[]>();

const resolver: Resolver = (hostname) => {
  const answer = names.get(hostname);
  if (!answer) lookedUp.push(hostname);
  return Promise.resolve((answer?.() ?? []).map((address) => ({ address, family: isIP(address.split('%')[0]) })));
};

beforeAll(async () => {
  stub = createServer((socket) => {
    stubConnections += 1;
    socket.on('error', () => {}).end();
  });
  await new Promise<void>((resolve) => {
    stub.once('error', () => stub.listen(0, '0.0.0.0', resolve)).listen(0, '::', resolve);
  });
  stubPort = (stub.address() as AddressInfo).port;
  gateway = await startGateway({ PUBLIC_URL: `https://${PUBLIC_NAME}` });
  gateway.model.answer({ score: 0 });
  // The client is the real one; only the name server is replaced.
  Object.assign(gateway.app.app.get(EgressClient), { resolver });
  const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
  jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]): Socket {
    // Among all sockets of this process, only those of the egress client have their own lookup function. Calls to the
    // model use such a socket too, but no agent chooses their destination.
    const { lookup } = [args[0]].flat()[0] as { lookup?: { name: string } };
    if (lookup) {
      this.on('connectionAttempt', (address: string, port: number) => {
        if (`${address}:${port}` !== new URL(gateway.model.url).host) opened.push(`${address}:${port}`);
      });
    }
    return connect.apply(this, args);
  });
});

afterAll(async () => {
  jest.restoreAllMocks();
  await gateway?.close();
  await new Promise((resolve) => stub.close(resolve));
});

beforeEach(() => {
  stubConnections = 0;
  opened.length = 0;
  lookedUp.length = 0;
  gateway.model.answer({ score: 0 });
});

/**
 * One agent for each base URL, so that no case matches the service of another case. Inserts them into the database
 * because the API refuses some of these base URLs.
 */
async function register(cases: { name: string; targetUrl: string; baseUrl: string | null }[]): Promise<Attempt[]> {
  const { database, app } = gateway.app;
  const bases = [...new Set(cases.map(({ baseUrl }) => baseUrl))];
  const keys = new Map(bases.map((base) => [base, newAgentKey()]));
  const made = [...keys.values()];
  const services: { id: number }[] = await database.query(
    `WITH input AS (SELECT * FROM unnest($2::text[], $3::text[], $4::text[]) AS input (base, hash, prefix)),
     agent AS (
       INSERT INTO agents (user_id, name, key_hash, key_prefix, is_active, created_at, updated_at)
       SELECT $1, coalesce(base, '-'), hash, prefix, true, now(), now() FROM input RETURNING id, name),
     service AS (
       INSERT INTO services (user_id, name, base_url, auth_type, created_at, updated_at)
       SELECT $1, 'talked into', base, 'bearer', now(), now() FROM input WHERE base IS NOT NULL RETURNING id, base_url)
     INSERT INTO agent_services SELECT agent.id, service.id FROM agent JOIN service ON agent.name = service.base_url
     RETURNING service_id AS id`,
    [gateway.agent.userId, bases, made.map(({ hash }) => hash), made.map(({ prefix }) => prefix)],
  );
  const cipher = app.get(CredentialCipher);
  await database.query(
    `INSERT INTO credentials (service_id, name, encrypted_value) SELECT id, 'token', value FROM unnest($1::int[], $2::text[]) s (id, value)`,
    [services.map(({ id }) => id), services.map(({ id }) => cipher.encrypt(SECRET, credentialBinding(id, 'token')))],
  );
  return cases.map(({ name, targetUrl, baseUrl }) => ({ name, targetUrl, agentKey: keys.get(baseUrl)!.key }));
}

function parseOrigin(targetUrl: string): string | null {
  const origin = URL.canParse(targetUrl) ? new URL(targetUrl).origin : 'null';
  return origin === 'null' ? null : origin;
}

/** The same target on the port of our listener, if the case leaves the port open. */
function atStub(text: string): string | null {
  const [, scheme, authority, rest] = /^(https?:[/\\]*)([^/\\?#]+)(.*)$/is.exec(text) ?? [];
  if (!authority || /:\d*$/.test(authority.replace(/\[.*\]/, ''))) return null;
  const moved = `${scheme}${authority}:${stubPort}${rest}`;
  return URL.canParse(moved) && URL.canParse(text) && new URL(moved).hostname === new URL(text).hostname ? moved : null;
}

async function send(attempts: Attempt[], method = 'GET'): Promise<[string, ProxyAnswer][]> {
  const answers: [string, ProxyAnswer][] = [];
  const queue = [...attempts];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { name, targetUrl, agentKey } = next;
      answers.push([name, await gateway.proxy({ targetUrl, method }, { 'Agent-Key': agentKey })]);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return answers;
}

function expectNothingSent(answers: [string, ProxyAnswer][]): void {
  expect({ opened, lookedUp, stubConnections }).toEqual({ opened: [], lookedUp: [], stubConnections: 0 });
  const passed = answers.filter(
    ([, { status, headers }]) => ![400, 403, 404].includes(status) || headers.has('X-Proxy-Status'),
  );
  expect(passed.map(([name, { status, text }]) => [name, status, text])).toEqual([]);
}

it('sees the sockets of the egress client, so that an empty list below means no socket', async () => {
  expect((await gateway.proxy()).status).toBe(200);
  expect(opened).toEqual([gateway.upstream.hostAndPort]);
});

it('opens no socket for any literal target of the corpus, even if a server listens there', async () => {
  const textual = corpus.filter(({ resolves }) => !resolves);
  const moved = textual.flatMap(({ name, targetUrl, baseUrl }) => {
    const target = atStub(targetUrl);
    const base = baseUrl === undefined ? undefined : atStub(baseUrl);
    return target === null || base === null ? [] : [{ name: `${name}, moved`, targetUrl: target, baseUrl: base }];
  });
  const attempts = await register(
    [...textual, ...moved].map(({ name, targetUrl, baseUrl }) => ({
      name,
      targetUrl,
      baseUrl: baseUrl ?? parseOrigin(targetUrl),
    })),
  );
  expect(attempts.length).toBeGreaterThan(750);
  expectNothingSent(await send(attempts));
});

describe('names', () => {
  let attempts: Attempt[];
  beforeAll(async () => {
    const resolving = corpus.filter(({ resolves }) => resolves);
    const own = resolving.flatMap(({ name, targetUrl, baseUrl, resolves }, index) => {
      const host = new URL(baseUrl!).hostname;
      const ownHost = `case-${index}.${host}`;
      names.set(ownHost, () => resolves!);
      const [target, base] = [targetUrl, baseUrl!].map((text) => text.replace(host, ownHost));
      const plain = { name, targetUrl: target, baseUrl: base };
      const moved = { name: `${name}, moved`, targetUrl: atStub(target)!, baseUrl: atStub(base)! };
      return [plain, moved];
    });
    attempts = await register(own);
  });

  it('that resolve to a private address, alone or among others, get no socket when they would be forwarded', async () => {
    expect(attempts.length).toBeGreaterThanOrEqual(160);
    expectNothingSent(await send(attempts));
  });

  it('that resolve to a private address are refused without an approval too', async () => {
    gateway.model.answer({ score: 1 });
    expectNothingSent(await send(attempts, 'DELETE'));
    const [{ count }] = await gateway.app.database.query<{ count: string }[]>('SELECT count(*) FROM actions');
    expect(count).toBe('0');
  });

  it('that rebind after a check get no socket: not when held, when executed or when connecting', async () => {
    const host = 'rebinding.example.com';
    const base = `http://${host}:${stubPort}`;
    const [{ agentKey }] = await register([{ name: 'rebinding', targetUrl: base, baseUrl: base }]);
    const as = { 'Agent-Key': agentKey };
    let looks = 0;
    for (const privateAt of [1, 2]) {
      looks = 0;
      names.set(host, () => (++looks > privateAt ? ['127.0.0.1'] : ['93.184.215.14']));
      const held = await gateway.hold({ targetUrl: `${base}/${privateAt}` }, as);
      expect(looks).toBe(1);
      await gateway.approve(held.action_id);
      const executed = await gateway.execute(held.action_id, as);
      expect([executed.status, executed.json().error]).toEqual([403, 'Access to private IP ranges is forbidden']);
      expect(looks).toBe(privateAt + 1);
    }
    expect({ opened, stubConnections }).toEqual({ opened: [], stubConnections: 0 });
  });
});

it('follows no redirect to the metadata service or to itself', async () => {
  for (const location of ['http://169.254.169.254/latest/meta-data/', `http://127.0.0.1:${stubPort}/`, '//[::1]/']) {
    for (const status of [301, 302, 303, 307, 308]) {
      gateway.upstream.answer((_call, response) => response.writeHead(status, { Location: location }).end());
      const answer = await gateway.proxy();
      const places = ['Location', 'X-Upstream-Location'].map((name) => answer.headers.get(name));
      expect([answer.status, ...places]).toEqual([status, null, location]);
    }
  }
  expect(new Set(opened)).toEqual(new Set(opened.length > 0 ? [gateway.upstream.hostAndPort] : []));
  expect(stubConnections).toBe(0);
});

it('does not reach itself or its database, by any address', async () => {
  const { port: gatewayPort } = new URL(gateway.url);
  const { port: databasePort } = new URL(gateway.app.databaseUrl);
  names.set(PUBLIC_NAME, () => ['93.184.215.14']);
  names.set(`${PUBLIC_NAME}.`, () => ['93.184.215.14']);
  const hosts = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]', '2130706433', '127.1'];
  const origins = [gatewayPort, databasePort].flatMap((port) => hosts.map((host) => `http://${host}:${port}`));
  const own = [`https://${PUBLIC_NAME}`, `https://${PUBLIC_NAME}.`, `https://${PUBLIC_NAME.toUpperCase()}:443`];
  const answers = await send(
    await register([...origins, ...own].map((base) => ({ name: base, targetUrl: `${base}/auth/me`, baseUrl: base }))),
  );
  expectNothingSent(answers);
  const texts = answers.flatMap(([name, answer]) => (own.includes(name) ? [answer.json().error] : []));
  expect(texts).toEqual(Array(own.length).fill('Access to the gateway itself is forbidden'));
});

it('refuses its own address even when the operator has allow-listed it', async () => {
  const database = new URL(gateway.app.databaseUrl);
  const second = await gateway.secondInstance({ PRIVATE_TARGET_ALLOWLIST: `127.0.0.1:${database.port}` });
  try {
    const base = `http://127.0.0.1:${database.port}`;
    const [attempt] = await register([{ name: 'database', targetUrl: `${base}/`, baseUrl: base }]);
    const answer = await second.proxy({ targetUrl: attempt.targetUrl }, { 'Agent-Key': attempt.agentKey });
    expect([answer.status, answer.json().error]).toEqual([403, 'Access to the gateway itself is forbidden']);
    expect(opened).toEqual([]);
  } finally {
    await second.app.close();
  }
});
