import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { CreatedAccessToken } from '#contracts';
import { SessionRegistry } from '../../src/auth/sessions.js';
import { login, PASSWORD } from '../support/accounts.js';
import { eventually } from '../support/eventually.js';
import { startGateway, type Gateway } from '../support/gateway.js';
import { team, type Team } from '../support/team.js';

let gateway: Gateway;
let people: Team;
let serial = 0;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true', JWT_ACCESS_EXPIRY: '7d' });
  people = team(gateway);
});
afterAll(() => gateway.close());

/**
 * Sends a request without the last byte of its body.
 * @returns once the gateway waits for this byte: a function that sends it, and returns the status of the answer
 */
async function withoutLastByte(
  route: string,
  credential: Record<string, string>,
  body: object,
): Promise<() => Promise<number>> {
  const [method, path] = route.split(' ');
  const text = JSON.stringify(body);
  const headers = {
    Host: 'x',
    'Content-Type': 'application/json',
    'Content-Length': text.length,
    'X-Workspace-Id': people.workspaceId,
    ...credential,
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const server = gateway.app.app.getHttpServer();
  const received = new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${text.slice(0, -1)}`);
  const request = await received;
  await eventually(() => request.listenerCount('data') > 0);
  return async () => {
    const answered = new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.write(text.slice(-1));
    const answer = (await answered).toString();
    socket.destroy();
    return Number(answer.split(' ')[1]);
  };
}

interface Person {
  id: number;
  credential: Record<string, string>;
}
async function join(role: string): Promise<Person> {
  const name = `person${++serial}`;
  const id = await people.join(name, role);
  const { accessToken } = await login(gateway.app, `${name}@example.com`);
  return { id, credential: { Authorization: `Bearer ${accessToken}` } };
}
const memberPath = ({ id }: Person): string => `/workspaces/${people.workspaceId}/members/${id}`;
const remove = (person: Person): Promise<unknown> => gateway.admin(`DELETE ${memberPath(person)}`);
const lower = (person: Person) => gateway.admin(`PUT ${memberPath(person)}`, { role: 'auditor' });
const endSession = ({ id }: Person) =>
  gateway.app.database.query('UPDATE sessions SET revoked_at = now() WHERE user_id = $1', [id]);
const nothing = () => Promise.resolve();

const token = () => ({
  name: 'CI',
  workspaceId: people.workspaceId,
  role: 'admin',
  expiresAt: new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString(),
});
type Request = [route: string, body: object];
const newAgent = (): Request => ['POST /agents', { name: 'Ghost', serviceIds: [gateway.service.id] }];
const newRule = (): Request => [
  `POST /services/${gateway.service.id}/risk-rules`,
  { name: 'Ghost', effect: 'allow', pathPattern: '/nothing' },
];
const newKey = (): Request => [`POST /agents/${gateway.agent.id}/rotate-key`, { graceMinutes: 60 }];
const newToken = (): Request => ['POST /auth/tokens', token()];
const newPassword = (): Request => ['POST /auth/password', { currentPassword: PASSWORD, newPassword: 'x'.repeat(20) }];

describe('whoever sends the last byte of a body after', () => {
  it.each<{ after: string; what: string; status: number; lose: typeof remove; request: () => Request }>([
    { after: 'nothing happened', what: 'an agent', status: 201, lose: nothing, request: newAgent },
    { after: 'being removed', what: 'an agent', status: 404, lose: remove, request: newAgent },
    { after: 'getting a lower role', what: 'an agent', status: 403, lose: lower, request: newAgent },
    { after: 'the end of the session', what: 'an agent', status: 401, lose: endSession, request: newAgent },
    { after: 'being removed', what: 'a rule', status: 404, lose: remove, request: newRule },
    { after: 'the end of the session', what: 'a rule', status: 401, lose: endSession, request: newRule },
    { after: 'being removed', what: 'the key of an agent', status: 404, lose: remove, request: newKey },
    { after: 'the end of the session', what: 'the key of an agent', status: 401, lose: endSession, request: newKey },
    { after: 'nothing happened', what: 'a token', status: 201, lose: nothing, request: newToken },
    { after: 'being removed', what: 'a token', status: 404, lose: remove, request: newToken },
    { after: 'the end of the session', what: 'a token', status: 401, lose: endSession, request: newToken },
    { after: 'the end of the session', what: 'a password', status: 401, lose: endSession, request: newPassword },
  ])('$after gets $status for $what', async ({ status, lose, request }) => {
    const person = await join('admin');
    const [route, body] = request();
    const finish = await withoutLastByte(route, person.credential, body);
    await lose(person);
    expect(await finish()).toBe(status);
  });

  it('the end of a token gets 401 for an agent', async () => {
    const made = await gateway.admin<CreatedAccessToken>('POST /auth/tokens', token());
    const [route, body] = newAgent();
    const finish = await withoutLastByte(route, { Authorization: `Bearer ${made.token}` }, body);
    await gateway.admin(`DELETE /auth/tokens/${made.id}`);
    expect(await finish()).toBe(401);
  });

  it('losing the role of installation administrator gets 403 for private targets', async () => {
    const person = await join('auditor');
    await gateway.admin(`PUT /admin/administrators/${person.id}`, {});
    const route = `PUT /admin/workspaces/${people.workspaceId}`;
    const finish = await withoutLastByte(route, person.credential, { privateTargets: true });
    await gateway.admin(`DELETE /admin/administrators/${person.id}`);
    expect(await finish()).toBe(403);
  });
});

describe('an agent that sends the last byte of a body late', () => {
  interface Keyed {
    id: number;
    /** A rotated key, which works for a minute. */
    key: string;
  }
  async function keyed(): Promise<Keyed> {
    const { agent, apiKey } = await gateway.createAgent(`agent${++serial}`, [gateway.service.id]);
    await gateway.admin(`PUT /agents/${agent.id}`, { callbackHosts: [gateway.upstream.hostAndPort] });
    await gateway.admin(`POST /agents/${agent.id}/rotate-key`, { graceMinutes: 1 });
    return { id: agent.id, key: apiKey };
  }

  const targetUrl = (): string => `${gateway.upstream.url}/v1/customers/42`;
  const look = (): object => ({ method: 'GET', targetUrl: targetUrl(), intent: 'look' });
  const byMcp = (): object => {
    const params = { name: 'request', arguments: look() };
    return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  };
  async function approved({ key }: Keyed): Promise<Request> {
    const { action_id: id } = await gateway.hold({}, { 'Agent-Key': key });
    await gateway.approve(id);
    return [`POST /proxy/execute/${id}`, {}];
  }
  const requests: [what: string, request: (agent: Keyed) => Request | Promise<Request>][] = [
    ['a request', () => ['POST /proxy', look()]],
    ['a request below the base URL', () => ['POST /s/Shop;idempotency=none/customers', { name: 'Bo' }]],
    ['an approved request', approved],
    ['its callback', () => ['PUT /agent/callback', { url: `http://${gateway.upstream.hostAndPort}/called` }]],
    ['a request by MCP', () => ['POST /mcp', byMcp()]],
  ];
  const ends: [after: string, status: number, end: (agent: Keyed) => Promise<unknown>][] = [
    ['nothing happened', 200, nothing],
    ['its revocation', 401, ({ id }) => gateway.admin(`PUT /agents/${id}`, { isActive: false })],
    ['a new key', 401, ({ id }) => gateway.admin(`POST /agents/${id}/rotate-key`)],
    ['the time of its key', 401, () => gateway.app.advance({ minutes: 2 })],
    ['a change of its addresses', 403, ({ id }) => gateway.admin(`PUT /agents/${id}`, { addresses: ['203.0.113.1'] })],
  ];
  const cases = ends.flatMap(([after, status, end]) =>
    requests.map(([what, request]) => ({ after, status, end, what, request })),
  );

  it.each(cases)('in $what, after $after, gets $status', async ({ status, end, what, request }) => {
    const agent = await keyed();
    const [route, body] = await request(agent);
    gateway.model.answer({ score: 0 });
    gateway.upstream.calls.length = 0;
    const headers = { 'Agent-Key': agent.key, 'X-Intent': 'look', Accept: 'application/json, text/event-stream' };
    const finish = await withoutLastByte(route, headers, body);
    await end(agent);
    const answered = await finish();
    // An answer by MCP may have begun before the change is seen.
    if (what !== 'a request by MCP') expect(answered).toBe(status);
    const sends = status === 200 && what !== 'its callback';
    expect(gateway.upstream.calls).toHaveLength(sends ? 1 : 0);
  });
});

it('a session is looked up again only if the body had not arrived at the first lookup', async () => {
  const lookUp = jest.spyOn(gateway.app.app.get(SessionRegistry), 'authenticate');
  const lookUps = async (ask: () => Promise<unknown>): Promise<number> => {
    lookUp.mockClear();
    await ask();
    return lookUp.mock.calls.length;
  };
  expect(await lookUps(() => gateway.admin('GET /agents'))).toBe(1);
  expect(await lookUps(() => gateway.admin(`POST /agents/${gateway.agent.id}/rotate-key`))).toBe(1);
  expect(await lookUps(() => gateway.admin('PATCH /auth/me', { name: 'Ada' }))).toBe(1);
  const late = async () => {
    const finish = await withoutLastByte(
      'PATCH /auth/me',
      { Authorization: `Bearer ${gateway.token}` },
      { name: 'Ada' },
    );
    expect(await finish()).toBe(200);
  };
  expect(await lookUps(late)).toBe(2);
  // It may wait for the thread that reads YAML.
  const yaml = () =>
    fetch(`${gateway.url}/workspaces/${people.workspaceId}/import?dryRun=true`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${gateway.token}`, 'Content-Type': 'application/yaml' },
      body: 'version: 1',
    });
  expect(await lookUps(yaml)).toBe(2);
});
