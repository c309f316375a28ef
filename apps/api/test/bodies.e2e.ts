/** The gateway reads a body only after authentication, and bounds the memory for bodies. */
import { login } from './support/accounts.js';
import { apiRoutes } from './support/api-routes.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { hangUp, rawRequest, refusal, requestHead, unfinished, type RawAnswer } from './support/raw-http.js';
import { team } from './support/team.js';

const MIB = 1024 * 1024;
const JSON_TYPE = 'Content-Type: application/json\r\n';

let gateway: Gateway;
let port: number;
beforeAll(async () => {
  gateway = await startGateway({ AGENT_MAX_BUFFERED_MB: '1', ALLOW_REGISTRATION: 'true' });
  port = Number(new URL(gateway.url).port);
});
afterEach(() => {
  hangUp();
  gateway.upstream.answer((_call, response) => response.end('{}'));
  gateway.model.answer({ score: 0 });
});
afterAll(() => gateway.close());

const bearer = (): string => `Authorization: Bearer ${gateway.token}\r\n`;

/**
 * The timeout of one attempt. Without it, an attempt could wait until the gateway has given up the unfinished bodies.
 */
const ATTEMPT_MS = 2000;

describe('before authentication', () => {
  it('no guarded endpoint reads a body', async () => {
    const routes = (await apiRoutes(gateway)).filter(({ guard }) => guard !== null);
    expect(routes.length).toBeGreaterThan(40);
    for (const { name, method, path } of [
      ...routes,
      { name: 'base URL', method: 'POST', path: '/s/Shop/customers' },
      { name: 'MCP', method: 'POST', path: '/mcp' },
    ]) {
      const where = path.replace(/\{\w+\}/g, '1');
      // The body never arrives. A route that waits for it would not answer.
      const answer = await rawRequest(port, [requestHead(method, where, `${JSON_TYPE}Content-Length: 20000000\r\n`)]);
      expect([name, answer?.status]).toEqual([name, 401]);
      expect(answer?.headers.connection).toBe('close');
    }
  });

  it('neither an unknown path nor a GET reads a body', async () => {
    const lost = await rawRequest(port, [requestHead('POST', '/nowhere', `${JSON_TYPE}Content-Length: 20000000\r\n`)]);
    expect(lost?.status).toBe(404);
    const health = await rawRequest(port, [requestHead('GET', '/health', 'Transfer-Encoding: chunked\r\n')]);
    expect([health?.status, health?.headers.connection]).toEqual([200, 'close']);
  });

  it('a response reaches a client that is still sending', async () => {
    const response = await fetch(`${gateway.url}/services/1/documentation`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"content":[${'[],'.repeat(6_000_000)}1]}`,
    });
    expect([response.status, await response.json()]).toMatchObject([401, { error: 'Missing authorization header' }]);
  });

  it('all strangers together hold at most 8 MB of bodies, and small bodies are still read', async () => {
    const body = `{"email":"${'x'.repeat(0.9 * MIB)}`;
    const login1MB = requestHead('POST', '/auth/login', `${JSON_TYPE}Content-Length: ${MIB}\r\n`);
    const refused = await eventually(async () => {
      // Sends them in each attempt: a busy machine may give up the first bodies before it has read the last one.
      for (let n = 0; n < 9; n++) await unfinished(port, login1MB, body);
      const answer = await rawRequest(port, [login1MB, body], AbortSignal.timeout(ATTEMPT_MS));
      return answer && refusal(answer);
    });
    expect(refused).toMatchObject({ status: 503, code: 'gateway_busy', retryAfter: '2' });
    expect((await login(gateway.app, 'ada@example.com')).accessToken).toBeTruthy();
    hangUp();
    // The gateway has freed their memory.
    await eventually(async () => {
      const whole = `{"email":"${'x'.repeat(0.9 * MIB)}","password":"y"}`;
      const answer = await rawRequest(port, [
        requestHead('POST', '/auth/login', `${JSON_TYPE}Content-Length: ${whole.length}\r\n`),
        whole,
      ]);
      return answer?.status === 400;
    });
  });
});

describe('JSON of strangers', () => {
  const login = (more: object): Promise<{ status: number; body: { error: string } }> =>
    gateway.tryAdmin('POST /auth/login', { email: 'nobody@example.com', password: 'x'.repeat(12), ...more }, '');
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, null]));

  it.each([
    // With the two fields and the object itself, this is one value more than allowed.
    ['200 values', { more: Array(197).fill(0) }, 'JSON must not have more than 200 values'],
    [
      '64 kB',
      { more: 'x'.repeat(65_536) },
      'JSON without a credential must not have more than 64 kB besides white space',
    ],
  ])('has at most %s', async (_limit, more, error) => {
    expect(await login(more)).toMatchObject({ status: 400, body: { error } });
    expect((await login({ more: more.more.slice(1000) })).status).toBe(401);
  });

  it('has no more than 1,000 keys in one object, also with a credential', async () => {
    const save = (count: number) =>
      gateway.tryAdmin(`PUT /services/${gateway.service.id}`, { credentials: keys(count) });
    expect(await save(1001)).toMatchObject({
      status: 400,
      body: { error: 'JSON objects must not have more than 1000 keys' },
    });
    expect((await save(1000)).body.error).not.toContain('JSON');
  });
});

describe('bodies of strangers below 64 kB', () => {
  it('count towards the memory limit too, except for 4 kB of each body', async () => {
    const body = `{"email":"${'x'.repeat(60 * 1024)}`;
    const login60kB = requestHead('POST', '/auth/login', `${JSON_TYPE}Content-Length: ${64 * 1024}\r\n`);
    const refused = await eventually(async () => {
      for (let n = 0; n < 150; n++) await unfinished(port, login60kB, body);
      const answer = await rawRequest(port, [login60kB, body], AbortSignal.timeout(ATTEMPT_MS));
      return answer && refusal(answer);
    });
    expect(refused).toMatchObject({ status: 503, code: 'gateway_busy', retryAfter: '2' });
    const long = `ada${'x'.repeat(3000)}`;
    const answer = await rawRequest(port, [
      requestHead('POST', '/auth/refresh', `${JSON_TYPE}Content-Length: ${long.length + 20}\r\n`),
      `{"refreshToken":"${long}"}`.padEnd(long.length + 20),
    ]);
    expect(answer?.status).toBe(401);
    expect((await login(gateway.app, 'ada@example.com')).accessToken).toBeTruthy();
  });
});

describe('a body that is announced and never sent', () => {
  it('does not reserve memory that others need', async () => {
    for (let n = 0; n < 20; n++) {
      await unfinished(
        port,
        requestHead(
          'POST',
          `/services/${gateway.service.id}/documentation`,
          `${bearer()}${JSON_TYPE}Content-Length: ${20 * MIB}\r\n`,
        ),
      );
    }
    const answer = await gateway.tryAdmin(`POST /services/${gateway.service.id}/documentation`, {
      type: 'text',
      title: 'Long',
      content: 'x'.repeat(15 * MIB),
    });
    expect(answer.status).toBe(201);
  });

  it('is refused immediately when its announced length is too long', async () => {
    const answer = await rawRequest(port, [
      requestHead('POST', '/services', `${bearer()}${JSON_TYPE}Content-Length: ${MIB + 1}\r\n`),
    ]);
    expect([answer?.status, JSON.parse(answer!.body)]).toEqual([
      413,
      { error: 'Request body exceeds 1MB limit', statusCode: 413 },
    ]);
  });
});

describe('one agent', () => {
  const key = (): string => `Agent-Key: ${gateway.agentKey}\r\n`;

  it('holds at most AGENT_MAX_BUFFERED_MB of request bodies; more gets 429 until some requests finish', async () => {
    const announced = requestHead('POST', '/proxy', `${key()}${JSON_TYPE}Content-Length: ${2 * MIB}\r\n`);
    const giveUp = new AbortController();
    const half = (): Promise<RawAnswer | null> =>
      rawRequest(port, [announced, Buffer.alloc(0.9 * MIB, ' ')], giveUp.signal);
    // Each of the two fits alone. The gateway refuses one and waits for the rest of the other.
    const both = [half(), half()];
    const refused = await Promise.race(both);
    giveUp.abort();
    expect(refused && refusal(refused)).toEqual({
      status: 429,
      error: 'The requests of this agent and their responses are too large together. Nothing was sent',
      code: 'too_much_buffered',
      retryAfter: '2',
    });
    expect((await Promise.all(both)).filter((answer) => answer === null)).toHaveLength(1);
    await unfinished(port, announced, Buffer.alloc(0.9 * MIB, ' '));
    expect((await gateway.proxy()).status).toBe(200);
    // The limit is per agent.
    const { apiKey } = await gateway.createAgent('other', [gateway.service.id]);
    const large = { method: 'PUT', body: 'x'.repeat(0.9 * MIB) };
    expect((await gateway.proxy(large, { 'Agent-Key': apiKey })).status).toBe(200);
    hangUp();
    await eventually(async () => (await gateway.proxy(large)).status === 200);
  });

  it('sends a line of NDJSON per chunk, but no body in tiny chunks', async () => {
    const { apiKey } = await gateway.createAgent('lines', [gateway.service.id]);
    const post = (body: string[]): Promise<RawAnswer | null> => {
      const headers = `Agent-Key: ${apiKey}\r\nIdempotency-Key: ${body.length}\r\nTransfer-Encoding: chunked\r\n`;
      const chunks = body.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
      return rawRequest(port, [requestHead('POST', '/s/Shop/import', headers), `${chunks}0\r\n\r\n`]);
    };
    const lines = Array.from({ length: 10_000 }, (_, n) => `{"id":${n}}`.padEnd(59) + '\n');
    expect((await post(lines))?.status).toBe(200);
    expect(gateway.upstream.calls.at(-1)?.body.toString()).toBe(lines.join(''));
    const sent = gateway.upstream.calls.length;
    const refused = await post(Array.from({ length: 5000 }, () => 'xy'));
    expect(refused && refusal(refused)).toMatchObject({
      status: 400,
      error: 'The request body came in too many small pieces',
    });
    expect(gateway.upstream.calls.length).toBe(sent);
  });
});

describe('the limit of 10 MB for a request', () => {
  let large: Gateway;
  beforeAll(async () => {
    large = await gateway.secondInstance({ AGENT_MAX_BUFFERED_MB: '128' });
  });
  afterAll(() => large.app.close());

  it.each([
    ['quotes', '"'],
    ['control characters', '\u0001'],
  ])('counts the body as it is sent, not as JSON escapes it: %s', async (_what, character) => {
    large.upstream.calls.length = 0;
    const whole = character.repeat(10 * MIB);
    expect((await large.proxy({ method: 'PUT', body: whole })).status).toBe(200);
    expect(large.upstream.calls[0].body.equals(Buffer.from(whole))).toBe(true);
    const over = await large.proxy({ method: 'PUT', body: `${whole}x` });
    expect([over.status, over.json().error]).toEqual([413, 'Request body exceeds 10MB limit']);
  });

  it('also refuses a request with a large value in `headers`', async () => {
    const over = await large.proxy({ headers: { 'X-Large': '\u0001'.repeat(2 * MIB) } });
    expect([over.status, over.json().error]).toEqual([413, 'Request body exceeds 10MB limit']);
  });

  it.each([
    ['quotes', '"'],
    ['control characters', '\u0001'],
  ])('applies to the MCP tool `request` too: %s', async (_what, character) => {
    large.upstream.calls.length = 0;
    const whole = character.repeat(10 * MIB);
    const answer = await requestByMcp({ body: whole });
    expect([answer.status, answer.json<McpAnswer>().result?.structuredContent.status]).toEqual([200, 'FORWARDED']);
    expect(large.upstream.calls[0].body.equals(Buffer.from(whole))).toBe(true);
    for (const over of [{ body: `${whole}x` }, { headers: { 'X-Large': character.repeat(11 * MIB) } }]) {
      const refused = await requestByMcp(over);
      expect([refused.status, refused.json().error]).toEqual([413, 'Request body exceeds 10MB limit']);
    }
    expect(large.upstream.calls).toHaveLength(1);
  });

  interface McpAnswer {
    result?: { structuredContent: { status: string } };
  }

  function requestByMcp(more: object) {
    const targetUrl = `${large.upstream.url}/v1/notes/1`;
    const call = { name: 'request', arguments: { method: 'PUT', targetUrl, intent: 'Store it', ...more } };
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    return large.agentCall('POST', '/mcp', message, {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    });
  }
});

it('one person holds at most half of the total in all workspaces, so that others of the team can send too', async () => {
  const people = team(gateway);
  await people.join('eve', 'admin');
  const { accessToken } = await login(gateway.app, 'eve@example.com');
  const announcedIn = (workspace: string): string =>
    requestHead(
      'POST',
      '/services/1/documentation',
      `Authorization: Bearer ${accessToken}\r\n${workspace}${JSON_TYPE}Content-Length: ${20 * MIB}\r\n`,
    );
  const workspaces = ['', `X-Workspace-Id: ${people.workspaceId}\r\n`];
  const most = Buffer.alloc(19 * MIB, ' ');
  const answers: string[] = [];
  for (let n = 0; n < 15; n++) {
    const socket = await unfinished(port, announcedIn(workspaces[n % 2]));
    socket.on('data', (chunk: Buffer) => answers.push(chunk.toString()));
    socket.write(most);
  }
  // Six fit; the others were refused.
  await eventually(() => answers.filter((answer) => answer.startsWith('HTTP/1.1 503')).length === 9);
  const answer = await gateway.tryAdmin(`POST /services/${gateway.service.id}/documentation`, {
    type: 'text',
    title: 'Large',
    content: 'x'.repeat(15 * MIB),
  });
  expect(answer.status).toBe(201);
});

describe('a large document', () => {
  const post = (content: unknown, more: object = {}) =>
    gateway.tryAdmin(`POST /services/${gateway.service.id}/documentation`, {
      type: 'text',
      title: 'x',
      content,
      ...more,
    });

  it('is parsed in a separate thread, and the client gets the errors of that thread', async () => {
    const filler = 'x'.repeat(2 * MIB);
    expect((await post(Array.from({ length: 2_000_000 }, () => []))).body).toEqual({
      error: 'JSON must not have more than 20000 values',
      statusCode: 400,
    });
    expect((await post(`${filler}\0`)).body.error).toBe('JSON must not contain NUL characters');
    const broken = await gateway.agentCall('POST', '/services', `{"name":"${'x'.repeat(0.5 * MIB)}" 1}`, {
      Authorization: `Bearer ${gateway.token}`,
    });
    expect(broken.json()).toEqual({
      error: 'Invalid JSON in request body',
      statusCode: 400,
      next: `Fix the JSON: expected "," or "}" at line 1, column ${0.5 * MIB + 12} (position ${0.5 * MIB + 11})`,
    });
    expect((await post(filler)).status).toBe(201);
  });
});
