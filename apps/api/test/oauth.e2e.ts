import type { Channel, ChannelDeliveryPage, Service, TestServiceResult } from '#contracts';
import { CredentialVault } from '../src/services/credential-vault.js';
import { ConnectionsHousekeeping } from '../src/services/connections/oauth/connections.schedule.js';
import { ServiceRegistry } from '../src/services/service-registry.js';
import { startChildGateway } from './support/child-gateway.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { startOAuthProvider, type OAuthProviderProcess, type ProviderMode } from './support/oauth-provider.js';

const PUBLIC_URL = 'https://gateway.example.com';
const CLIENT_SECRET = 'planted-client-secret';

let provider: OAuthProviderProcess;
let gateway: Gateway;
beforeAll(async () => {
  provider = await startOAuthProvider(`${PUBLIC_URL}/oauth/callback`);
  gateway = await startGateway({ PUBLIC_URL, PRIVATE_TARGET_ALLOWLIST: provider.hostAndPort });
});
beforeEach(async () => {
  gateway.model.answer({ score: 0, explanation: 'reads' });
  gateway.upstream.answer((call, response) => response.end(call.method));
  await gateway.logInAgain();
  await provider.mode('ok');
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const settings = (fields: object = {}) => ({
  grant: 'authorization_code',
  authorizationUrl: `${provider.url}/auth`,
  tokenUrl: `${provider.url}/token`,
  clientId: 'gateway',
  scopes: ['openid', 'offline_access', 'read'],
  tokenAuth: 'basic',
  extraParams: { prompt: 'consent' },
  ...fields,
});

/** The service of the gateway's agent. */
async function use(
  oauth: object = {},
  credentials: Record<string, string> = { client_secret: CLIENT_SECRET },
): Promise<Service> {
  const service = await gateway.createService({ authType: 'oauth2', oauth: settings(oauth), credentials });
  await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [service.id] });
  return service;
}

interface Begun {
  url: string;
  cookie: string;
}

async function begin(id: number): Promise<Begun> {
  const response = await fetch(`${gateway.url}/services/${id}/oauth/connect`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${gateway.token}` },
  });
  const { url } = (await response.json()) as { url: string };
  return { url, cookie: response.headers.getSetCookie()[0] ?? '' };
}

/** The request of the browser that comes back from the provider. */
const comeBack = (to: URL, cookie: string): Promise<Response> =>
  fetch(`${gateway.url}${to.pathname}${to.search}`, { redirect: 'manual', headers: { cookie: cookie.split(';')[0] } });

async function connected(oauth: object = {}): Promise<Service> {
  const { id } = await use(oauth);
  const { url, cookie } = await begin(id);
  const answer = await comeBack(await provider.signIn(url), cookie);
  // The next request finds out that the agent has another service.
  await gateway.proxy();
  expect([answer.status, answer.headers.get('location')]).toEqual([
    303,
    `/dashboard/services/${id}?connection=connected`,
  ]);
  return read(id);
}

const read = (id: number): Promise<Service> => gateway.admin<Service>(`GET /services/${id}`);
const tokens = (): string[] => gateway.upstream.calls.map(({ headers }) => String(headers.authorization));
const secretsOf = async (id: number) =>
  gateway.app.app
    .get(CredentialVault, { strict: false })
    .oauthSecrets(await gateway.app.app.get(ServiceRegistry, { strict: false }).view(1, id));

it('connecting needs PUBLIC_URL', async () => {
  const other = await gateway.secondInstance();
  try {
    const { id } = await use();
    const { status, body } = await other.tryAdmin(`POST /services/${id}/oauth/connect`);
    expect([status, body.error]).toEqual([400, 'Set PUBLIC_URL first: the provider sends the browser back to it']);
  } finally {
    await other.app.close();
  }
});

describe('connecting a service', () => {
  it('takes a sign-in at the provider, and its requests carry the token', async () => {
    const before = await use();
    expect(before).toMatchObject({
      missingCredentials: [],
      connection: { state: 'none', expiresAt: null, scopes: [], connectedBy: null, connectedAt: null, error: null },
    });
    const refused = await gateway.proxy();
    expect([refused.status, refused.json()]).toEqual([502, { error: 'Connect Shop first', statusCode: 502 }]);
    const { url, cookie } = await begin(before.id);
    expect(cookie).toMatch(
      /^agw_oauth_[0-9a-f]{16}=[\w-]{43}; Max-Age=600; Path=\/oauth; .*HttpOnly; Secure; SameSite=Lax$/,
    );
    const asked = new URL(url).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: 'gateway',
      redirect_uri: `${PUBLIC_URL}/oauth/callback`,
      scope: 'openid offline_access read',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      prompt: 'consent',
    });
    const answer = await comeBack(await provider.signIn(url), cookie);
    expect(answer.headers.get('location')).toBe(`/dashboard/services/${before.id}?connection=connected`);

    const service = await read(before.id);
    expect(service).toMatchObject({
      credentials: { access_token: '********', client_secret: '********', refresh_token: '********' },
      connection: {
        state: 'connected',
        scopes: ['openid', 'offline_access', 'read'],
        connectedBy: { id: 1, name: 'Ada' },
        connectedAt: expect.any(String),
        error: null,
      },
    });
    expect(Date.parse(service.connection!.expiresAt!)).toBeGreaterThan(gateway.app.clock.nowMs());
    expect((await gateway.proxy()).status).toBe(200);
    expect(tokens().at(-1)).toMatch(/^Bearer [\w-]{20,}$/);
    expect(await gateway.admin(`POST /services/${service.id}/test`, {})).toMatchObject({ status: 200 });
    const records = JSON.stringify(await gateway.audit());
    expect(records).toContain('service.connected');
    for (const secret of [tokens().at(-1)!.slice(7), CLIENT_SECRET]) expect(records).not.toContain(secret);
  });

  it('takes one of ten answers that arrive at once', async () => {
    const { id } = await use();
    const { url, cookie } = await begin(id);
    const to = await provider.signIn(url);
    const before = await provider.requests();
    const answers = await Promise.all(Array.from({ length: 10 }, () => comeBack(to, cookie)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array<number>(9).fill(400)]);
    expect(await provider.requests()).toBe(before + 1);
    expect((await read(id)).connection).toMatchObject({ state: 'connected' });
  });

  it.each<[string, (begun: Begun, to: URL) => Promise<Response>]>([
    ['without the cookie', (_begun, to) => comeBack(to, '')],
    [
      'with the cookie of another sign-in',
      async ({ cookie }, to) => comeBack(to, cookie.replace(/=[^;]*/, `=${'a'.repeat(43)}`)),
    ],
    [
      'with an unknown state',
      ({ cookie }, to) => {
        to.searchParams.set('state', 'unknown');
        return comeBack(to, cookie);
      },
    ],
    [
      'too late',
      async ({ cookie }, to) => {
        await gateway.app.advance({ minutes: 11 });
        return comeBack(to, cookie);
      },
    ],
    [
      'after another provider was set',
      async ({ cookie }, to) => {
        const { id, oauth } = (await gateway.admin<Service[]>('GET /services')).at(-1)!;
        await gateway.admin(`PUT /services/${id}`, {
          oauth: { ...oauth, tokenUrl: 'https://other.example.com/token' },
        });
        return comeBack(to, cookie);
      },
    ],
    [
      'twice',
      async ({ cookie }, to) => {
        await comeBack(to, cookie);
        return comeBack(to, cookie);
      },
    ],
  ])('is refused %s, before the provider is asked', async (name, act) => {
    const { id } = await use();
    const begun = await begin(id);
    const to = await provider.signIn(begun.url);
    const before = await provider.requests();
    const answer = await act(begun, to);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'This sign-in is unknown, has expired or was used already: connect the service again', statusCode: 400 },
    ]);
    expect(await provider.requests()).toBe(before + (name === 'twice' ? 1 : 0));
  });

  it('stores nothing if the person refuses, or the answer names another provider', async () => {
    const { id } = await use();
    for (const [parameters, outcome, error] of [
      [{ error: 'access_denied' }, 'denied', 'The provider answered access_denied'],
      [{ code: 'x', iss: 'https://evil.example.com' }, 'failed', 'The answer came from another provider'],
    ] as const) {
      const { url, cookie } = await begin(id);
      const to = new URL(`${PUBLIC_URL}/oauth/callback`);
      to.search = String(new URLSearchParams({ ...parameters, state: new URL(url).searchParams.get('state')! }));
      const answer = await comeBack(to, cookie);
      expect(answer.headers.get('location')).toBe(`/dashboard/services/${id}?connection=${outcome}`);
      expect((await read(id)).connection).toMatchObject({ state: 'none', error });
    }
  });

  it('shows the scopes that were granted, if they are fewer', async () => {
    const { id } = await use();
    const { url, cookie } = await begin(id);
    const to = await provider.signIn(url);
    await provider.mode('fewer');
    await comeBack(to, cookie);
    expect((await read(id)).connection).toMatchObject({ state: 'connected', scopes: ['read'] });
  });

  it.each([
    [{ oauth: { grant: 'client_credentials' } }, /Only a service with oauth and the grant authorization_code/],
    [{ oauth: { tokenUrl: 'http://10.0.0.1/token' } }, /Access to private IP ranges is forbidden/],
  ])('is refused for %j', async ({ oauth }, message) => {
    const { id } = await use(oauth);
    const { body } = await gateway.tryAdmin(`POST /services/${id}/oauth/connect`);
    expect(body.error).toMatch(message);
  });

  it.each([
    [{ tokenUrl: 'ftp://x' }, /^oauth\.tokenUrl: must be an http or https URL/],
    [{ tokenUrl: 'https://a@x.example.com' }, /^oauth\.tokenUrl: must be/],
    [{ authorizationUrl: undefined }, /^oauth\.authorizationUrl: is required/],
    [{ grant: 'password' }, /^oauth\.grant: /],
    [{ clientId: '' }, /^oauth\.clientId: /],
    [{ scopes: ['a b'] }, /^oauth\.scopes: each must be a scope/],
    [{ extraParams: { state: 'x' } }, /^oauth\.extraParams\.state: is set by the gateway$/],
  ])('refuses the settings %j', async (oauth, message) => {
    const fields = { name: 'X', baseUrl: 'https://api.example.com', credentials: { client_secret: 'abc' } };
    const all = { ...fields, authType: 'oauth2', oauth: settings(oauth) };
    const { status, body } = await gateway.tryAdmin('POST /services', all);
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)]);
  });
});

describe('a connection', () => {
  it('is renewed once, although 50 requests on two instances find it expired', async () => {
    await connected();
    await gateway.proxy();
    const old = tokens().at(-1);
    const second = await gateway.secondInstance({
      PUBLIC_URL,
      PRIVATE_TARGET_ALLOWLIST: `${gateway.upstream.hostAndPort},${provider.hostAndPort}`,
    });
    try {
      await second.proxy();
      // The clocks of two machines are never equal.
      second.app.clock.advance({ hours: 2, seconds: -5 });
      await gateway.app.advance({ hours: 2 });
      const [before, calls] = [await provider.requests(), gateway.upstream.calls.length];
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? gateway : second).proxy()),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
      const sent = tokens().slice(calls);
      expect([sent.length, new Set(sent).size]).toEqual([50, 1]);
      expect(sent[0]).not.toBe(old);
      expect(await provider.requests()).toBe(before + 1);
    } finally {
      await second.app.close();
    }
  });

  it('goes on with each rotated refresh token', async () => {
    const { id } = await connected();
    for (let turn = 0; turn < 3; turn++) {
      const { refreshToken } = await secretsOf(id);
      await gateway.app.advance({ hours: 2 });
      expect((await gateway.proxy()).status).toBe(200);
      expect((await secretsOf(id)).refreshToken).not.toBe(refreshToken);
    }
    await gateway.logInAgain();
    expect((await read(id)).connection).toMatchObject({ state: 'connected', error: null });
  });

  it('must be connected again when the process died before it stored the rotated refresh token', async () => {
    const { id } = await connected();
    const { database, databaseUrl } = gateway.app;
    // The child's clock is the real one.
    const expire =
      'UPDATE connections SET expires_at = to_timestamp(0), refresh_at = to_timestamp(0) WHERE service_id = $1';
    await database.query(expire, [id]);
    const child = await startChildGateway({
      DATABASE_URL: databaseUrl,
      LLM_BASE_URL: gateway.model.url,
      RISK_CACHE_SECONDS: '0',
      PRIVATE_TARGET_ALLOWLIST: `${gateway.upstream.hostAndPort},${provider.hostAndPort}`,
      PRIVATE_TARGET_ACCESS: 'all',
    });
    const lock = database.createQueryRunner();
    try {
      await lock.startTransaction();
      await lock.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await lock.query('SELECT FROM services WHERE id = $1 FOR NO KEY UPDATE', [id]);
      const before = await provider.requests();
      const call = fetch(`${child.url}/s/Shop/customers`, {
        headers: { 'Agent-Key': gateway.agentKey, 'X-Intent': 'look' },
      });
      const cut = expect(call).rejects.toThrow();
      // The provider has answered, and the child waits for the lock to store it.
      await eventually(async () => {
        const waiting: unknown[] = await database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      }, 60_000);
      expect(await provider.requests()).toBe(before + 1);
      child.kill('SIGKILL');
      await child.exited;
      await cut;
    } finally {
      await lock.rollbackTransaction();
      await lock.release();
      await child.stop();
    }
    // The claim of the dead process has ended by now.
    await gateway.app.advance({ hours: 2 });
    await gateway.logInAgain();
    expect((await gateway.proxy()).json()).toMatchObject({ error: 'The connection to Shop has expired: reconnect it' });
    expect((await read(id)).connection).toMatchObject({
      state: 'reconnect',
      error: 'The provider answered 400 invalid_grant',
    });
    const { url, cookie } = await begin(id);
    await comeBack(await provider.signIn(url), cookie);
    expect((await gateway.proxy()).status).toBe(200);
  });

  it('must be connected again once the provider rejects its refresh token', async () => {
    const { id } = await connected();
    const target = `${gateway.upstream.url}/hook`;
    const channel = await gateway.admin<Channel>('POST /channels', { type: 'webhook', name: 'Hook', target });
    await gateway.app.advance({ hours: 2 });
    expect((await gateway.proxy()).status).toBe(200);
    // The provider detects that the previous token was used again, and ends the grant.
    await provider.reuse();
    await gateway.app.advance({ hours: 2 });
    const calls = () => gateway.upstream.calls.filter(({ path }) => path !== '/hook').length;
    const before = calls();
    for (let turn = 0; turn < 2; turn++) {
      const answer = await gateway.proxy();
      expect([answer.status, answer.json<{ error: string }>().error]).toEqual([
        502,
        'The connection to Shop has expired: reconnect it',
      ]);
    }
    expect(calls()).toBe(before);
    await gateway.logInAgain();
    const { items } = await gateway.admin<ChannelDeliveryPage>(`GET /channels/${channel.id}/deliveries`);
    expect(items.map(({ type }) => type)).toEqual(['connection.expired']);
    const told = await eventually(() => gateway.upstream.calls.find(({ path }) => path === '/hook'));
    expect(JSON.parse(told.body.toString())).toMatchObject({
      data: { service: 'Shop', serviceId: id, reason: 'The provider answered 400 invalid_grant' },
    });
    await gateway.admin(`DELETE /channels/${channel.id}`);
    expect((await read(id)).connection).toMatchObject({
      state: 'reconnect',
      error: 'The provider answered 400 invalid_grant',
    });
    expect((await gateway.audit()).map(({ reason }) => reason)).toContain('service.connection_lost');
    const { url, cookie } = await begin(id);
    await comeBack(await provider.signIn(url), cookie);
    expect((await gateway.proxy()).status).toBe(200);
  });

  it.each<[ProviderMode, RegExp]>([
    ['html', /The token endpoint answered 200 without a JSON object$/],
    ['redirect', /The token endpoint answered with a redirect \(302\): correct tokenUrl$/],
    ['big', /Token endpoint: response is larger than|Token endpoint: /],
    ['error', /The provider answered 500 server_error$|The token endpoint sent no usable answer$/],
    ['client', /The provider answered 401 invalid_client$|The token endpoint sent no usable answer$/],
    ['hang', /Token endpoint: no complete response within 10s$/],
  ])('survives a token endpoint in trouble: %s', async (mode, message) => {
    const { id } = await connected();
    await gateway.app.advance({ hours: 2 });
    await gateway.logInAgain();
    await provider.mode(mode);
    const answer = await gateway.proxy();
    expect(answer.status).toBe(502);
    const { error } = answer.json<{ error: string }>();
    expect(error).toMatch(/^The connection to Shop could not be renewed: /);
    expect(error).toMatch(message);
    expect((await read(id)).connection).toMatchObject({ state: 'expired', error: expect.stringMatching(message) });
    await provider.mode('ok');
    expect((await gateway.proxy()).status).toBe(200);
  });

  it('survives lifetimes and scopes that no database can store', async () => {
    const { id } = await connected();
    await gateway.app.advance({ hours: 2 });
    await provider.mode('odd');
    expect((await gateway.proxy()).status).toBe(200);
    expect(tokens().at(-1)).toBe('Bearer odd-1');
    await gateway.logInAgain();
    expect((await read(id)).connection).toMatchObject({ state: 'connected', scopes: ['read'] });
  });

  it('keeps a rotated refresh token when the agent hangs up and the gateway stops meanwhile', async () => {
    const { id } = await connected();
    await gateway.app.advance({ hours: 2 });
    const { refreshToken } = await secretsOf(id);
    const { app } = await gateway.secondInstance({
      PUBLIC_URL,
      PRIVATE_TARGET_ALLOWLIST: `${gateway.upstream.hostAndPort},${provider.hostAndPort}`,
    });
    app.clock.advance({ ms: gateway.app.clock.nowMs() - app.clock.nowMs() });
    await provider.mode('held');
    const hangUp = new AbortController();
    const call = fetch(`${app.url}/proxy`, {
      method: 'POST',
      body: JSON.stringify({ targetUrl: `${gateway.upstream.url}/v1/x`, method: 'GET', intent: 'look' }),
      headers: { 'Agent-Key': gateway.agentKey, 'Content-Type': 'application/json' },
      signal: hangUp.signal,
    });
    await eventually(async () => (await provider.state()).held === 1);
    hangUp.abort();
    await expect(call).rejects.toThrow();
    const stopped = app.close();
    // Connections that do not wait for the token are closed by now.
    await Promise.race([stopped, eventually(() => !app.app.getHttpServer().listening)]);
    await provider.mode('ok');
    await stopped;
    expect((await secretsOf(id)).refreshToken).not.toBe(refreshToken);
    expect((await gateway.proxy()).status).toBe(200);
  });

  it('is used until it ends while the provider is down', async () => {
    await connected();
    await gateway.proxy();
    const old = tokens().at(-1);
    await gateway.app.advance({ seconds: 3600 - 30 });
    await provider.mode('error');
    expect((await gateway.proxy()).status).toBe(200);
    expect(tokens().at(-1)).toBe(old);
  });

  it('is renewed by others while a slow provider answers one', async () => {
    await connected();
    await gateway.app.advance({ hours: 2 });
    await provider.mode('held');
    const before = await provider.requests();
    const answers = Promise.all([gateway.proxy(), gateway.proxy(), gateway.proxy()]);
    await eventually(async () => (await provider.state()).held === 1);
    await provider.mode('ok');
    expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await provider.requests()).toBe(before + 1);
  });

  it.each<[string, (service: Service) => Promise<unknown>, object]>([
    [
      'its credentials are replaced',
      ({ id }) =>
        gateway.admin(`PUT /services/${id}/credentials`, {
          credentials: { client_secret: 'new', refresh_token: 'new' },
        }),
      { credentials: { client_secret: '********', refresh_token: '********' }, connection: { state: 'expired' } },
    ],
    [
      'another token endpoint is set',
      ({ id, oauth }) =>
        gateway.admin(`PUT /services/${id}`, { oauth: { ...oauth, tokenUrl: 'https://other.example.com/token' } }),
      { credentials: { client_secret: '********' }, connection: { state: 'none' } },
    ],
    ['its service is deleted', ({ id }) => gateway.admin(`DELETE /services/${id}`), { error: 'Service not found' }],
  ])('takes no token that a provider gives after %s', async (_case, change, expected) => {
    const service = await connected();
    await gateway.app.advance({ hours: 2 });
    await gateway.logInAgain();
    await provider.mode('held');
    const asked = gateway.proxy();
    await eventually(async () => (await provider.state()).held === 1);
    await change(service);
    const calls = gateway.upstream.calls.length;
    await provider.mode('ok');
    expect((await asked).status).toBeGreaterThanOrEqual(404);
    const { body } = await gateway.tryAdmin<object>(`GET /services/${service.id}`);
    expect(body).toMatchObject(expected);
    expect(Object.keys((body as Partial<Service>).credentials ?? {})).toEqual(
      Object.keys((expected as Partial<Service>).credentials ?? {}),
    );
    expect(gateway.upstream.calls).toHaveLength(calls);
  });

  it('is renewed by another instance once the claim of one that died has ended', async () => {
    const { id } = await connected();
    await gateway.app.advance({ hours: 2 });
    await gateway.app.database.query(
      `UPDATE connections SET refresh_claim = gen_random_uuid(), refresh_until = clock_timestamp() + interval '20 s'
       WHERE service_id = $1`,
      [id],
    );
    const before = await provider.requests();
    const answer = gateway.proxy();
    await gateway.app.advance({ seconds: 21 });
    expect((await answer).status).toBe(200);
    expect(await provider.requests()).toBe(before + 1);
  });

  it('is renewed after a 401, once, and the request is sent again under a record of its own', async () => {
    await connected();
    await gateway.proxy();
    const old = tokens().at(-1);
    gateway.upstream.answer((call, response) => {
      response.statusCode = call.headers.authorization === old ? 401 : 200;
      response.end();
    });
    const before = await provider.requests();
    const put = await gateway.proxy({ method: 'PUT', body: '{}' });
    expect(put.status).toBe(200);
    expect(await provider.requests()).toBe(before + 1);
    const [again, first] = (await gateway.audit()).filter(({ kind }) => kind === 'request');
    expect([first.upstreamStatus, again.upstreamStatus, first.url]).toEqual([401, 200, again.url]);

    // New tokens are refused too, so the token is not the reason.
    gateway.upstream.answer((_call, response) => response.writeHead(401).end());
    expect((await gateway.proxy()).status).toBe(401);
    expect(await provider.requests()).toBe(before + 1);
  });

  it('is renewed after a 401 to a request for a stream, which then passes event by event', async () => {
    await connected();
    await gateway.proxy();
    const old = tokens().at(-1);
    let finish = (): void => {};
    gateway.upstream.answer((call, response) => {
      if (call.headers.authorization === old) return void response.writeHead(401).end();
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: 1\n\n');
      finish = () => response.end('data: 2\n\n');
    });
    const answer = await fetch(`${gateway.url}/s/Shop/events`, {
      headers: { 'Agent-Key': gateway.agentKey, 'X-Intent': 'listen' },
    });
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe('data: 1\n\n');
    finish();
    expect((await reader.read()).value).toBe('data: 2\n\n');
  });

  it('is not renewed after a 401 to a POST', async () => {
    await connected();
    gateway.upstream.answer((_call, response) => response.writeHead(401).end());
    const [before, calls] = [await provider.requests(), gateway.upstream.calls.length];
    expect((await gateway.proxy({ method: 'POST', body: '{}' }, { 'Idempotency-Key': 'post-401' })).status).toBe(401);
    expect([await provider.requests(), gateway.upstream.calls.length]).toEqual([before, calls + 1]);
  });

  it('of a client gets its first token with the first request', async () => {
    const { id } = await use({
      grant: 'client_credentials',
      scopes: ['read'],
      extraParams: undefined,
      authorizationUrl: undefined,
    });
    expect((await read(id)).connection).toMatchObject({ state: 'expired' });
    expect((await gateway.proxy({ method: 'POST', body: '{}' }, { 'Idempotency-Key': 'client-1' })).status).toBe(200);
    expect((await read(id)).connection).toMatchObject({ state: 'connected', scopes: ['read'] });
    const [first] = tokens().slice(-1);
    await gateway.app.advance({ hours: 2 });
    expect((await gateway.proxy()).status).toBe(200);
    expect(tokens().at(-1)).not.toBe(first);
  });

  it('can begin with a pasted refresh token', async () => {
    const { id } = await connected();
    const { refreshToken } = await secretsOf(id);
    const pasted = await use({}, { client_secret: CLIENT_SECRET, refresh_token: refreshToken! });
    expect(pasted.connection).toMatchObject({ state: 'expired' });
    expect((await gateway.proxy()).status).toBe(200);
    expect((await read(pasted.id)).connection).toMatchObject({ state: 'connected' });
  });

  it('is renewed before its refresh token dies of age, although nobody uses it', async () => {
    const { id } = await connected();
    const { refreshToken } = await secretsOf(id);
    const housekeeping = gateway.app.app.get(ConnectionsHousekeeping, { strict: false });
    await housekeeping.keepAlive();
    expect((await secretsOf(id)).refreshToken).toBe(refreshToken);
    await gateway.app.advance({ hours: 24 * 7 + 1 });
    await eventually(async () => {
      await housekeeping.keepAlive();
      return (await secretsOf(id)).refreshToken !== refreshToken;
    });
  });

  it('is kept alive although many others cannot be renewed', async () => {
    const { id } = await connected();
    const { refreshToken } = await secretsOf(id);
    const dead: number[] = [];
    for (let n = 0; n < 20; n++) {
      dead.push((await use({ clientId: 'unknown' }, { client_secret: CLIENT_SECRET, refresh_token: 'x' })).id);
    }
    const due = `UPDATE connections SET renew_by = CASE service_id WHEN $1 THEN now() - interval '1 minute'
      ELSE now() - interval '1 hour' END WHERE service_id = $1 OR service_id = ANY($2)`;
    await gateway.app.database.query(`UPDATE connections SET renew_by = NULL WHERE service_id <> ALL($1)`, [
      [id, ...dead],
    ]);
    await gateway.app.database.query(due, [id, dead]);
    const housekeeping = gateway.app.app.get(ConnectionsHousekeeping, { strict: false });
    for (let turn = 0; turn < 2; turn++) await housekeeping.keepAlive();
    expect((await secretsOf(id)).refreshToken).not.toBe(refreshToken);
  });

  it('ends when another client is set', async () => {
    const { id, oauth } = await connected();
    const changed = await gateway.admin<Service>(`PUT /services/${id}`, { oauth: { ...oauth, clientId: 'other' } });
    expect(Object.keys(changed.credentials)).toEqual(['client_secret']);
    expect(changed.connection).toMatchObject({ state: 'none', connectedBy: null });
  });
});

describe('a new client secret', () => {
  const CLIENT = { grant: 'client_credentials', scopes: ['read'], extraParams: undefined, authorizationUrl: undefined };
  const test = (id: number, credentials: object): Promise<TestServiceResult> =>
    gateway.admin<TestServiceResult>(`POST /services/${id}/credentials/test`, { credentials, path: '/me' });
  const WRONG = { clientSecret: 'rejected', status: null, reason: 'The provider answered 401 invalid_client' };

  it('is tested with a token of its own, if the client gets its tokens itself', async () => {
    const { id, credentials } = await use(CLIENT, { client_secret: 'old' });
    const tested = await test(id, { client_secret: CLIENT_SECRET });
    expect(tested).toEqual({ status: 200, reason: null, durationMs: expect.any(Number), clientSecret: 'accepted' });
    expect(gateway.upstream.calls.at(-1)).toMatchObject({ method: 'GET', path: '/v1/me' });
    expect(tokens().at(-1)).toMatch(/^Bearer [\w-]{20,}$/);
    const calls = gateway.upstream.calls.length;
    expect(await test(id, { client_secret: 'wrong' })).toMatchObject(WRONG);
    expect(gateway.upstream.calls).toHaveLength(calls);
    // Nothing of the test is stored.
    expect((await read(id)).credentials).toEqual(credentials);
    expect((await gateway.proxy()).status).toBe(502);
  });

  it('is tested without using up a token of a connection, which goes on', async () => {
    const { id, connection } = await connected();
    const before = await secretsOf(id);
    expect(await test(id, { client_secret: CLIENT_SECRET })).toEqual({
      status: null,
      reason: null,
      durationMs: expect.any(Number),
      clientSecret: 'accepted',
    });
    expect(await test(id, { client_secret: 'wrong', refresh_token: before.refreshToken! })).toMatchObject(WRONG);
    const accepted = await test(id, { client_secret: CLIENT_SECRET, refresh_token: before.refreshToken! });
    expect(accepted.clientSecret).toBe('accepted');
    expect(await secretsOf(id)).toEqual(before);
    expect((await read(id)).connection).toEqual(connection);
    // The refresh token is still valid.
    await gateway.app.advance({ hours: 2 });
    expect((await gateway.proxy()).status).toBe(200);
    await gateway.logInAgain();
    const records = JSON.stringify(await gateway.audit(`&kind=change&serviceId=${id}`));
    expect(records).toContain('service.credentials_tested');
    expect(records).not.toContain(CLIENT_SECRET);
  });

  it.each<[ProviderMode, string, string]>([
    ['error', 'unknown', 'The token endpoint sent no usable answer'],
    ['html', 'unknown', 'The token endpoint answered 200 without a JSON object'],
    ['client', 'rejected', 'The provider answered 401 invalid_client'],
    [
      'grant',
      'unknown',
      'The provider answers a wrong client secret in the same way, so only a sign-in can show whether this one is valid',
    ],
    ['odd', 'unknown', 'The provider gave a token for a code that it did not issue'],
  ])('gets what the test can know when the token endpoint answers as %s', async (mode, clientSecret, reason) => {
    const { id } = await use();
    await provider.mode(mode);
    expect(await test(id, { client_secret: CLIENT_SECRET })).toMatchObject({ status: null, clientSecret, reason });
  });

  it('is not asked for where the egress guard forbids it, and a public client has none', async () => {
    const { id } = await use({ tokenUrl: 'http://127.0.0.2:1/token' });
    const guarded = await test(id, { client_secret: CLIENT_SECRET });
    expect(guarded).toMatchObject({
      status: null,
      clientSecret: 'unknown',
      reason: expect.stringMatching(/^Token endpoint: /),
    });
    const open = await use({}, {});
    expect(await test(open.id, { refresh_token: 'x' })).toMatchObject({
      clientSecret: 'unknown',
      reason: 'There is no client secret to test. Connect the service',
    });
  });
});

describe('a reconnect', () => {
  const reconnect = async (id: number, mode: ProviderMode = 'ok'): Promise<void> => {
    const { url, cookie } = await begin(id);
    const to = await provider.signIn(url);
    await provider.mode(mode);
    const answer = await comeBack(to, cookie);
    expect(answer.headers.get('location')).toBe(`/dashboard/services/${id}?connection=connected`);
    await provider.mode('ok');
  };
  const revert = (id: number) => gateway.tryAdmin(`POST /services/${id}/credentials/revert`);
  const sent = async (): Promise<string> => {
    expect((await gateway.proxy()).status).toBe(200);
    return tokens().at(-1)!;
  };

  it('by an account with fewer rights is undone by a revert, which brings the connection before back', async () => {
    const { id, connection } = await connected();
    const [before, first] = [await secretsOf(id), await sent()];
    expect((await read(id)).previousCredentials).toBeNull();
    await reconnect(id, 'fewer');
    const fewer = await read(id);
    expect(fewer.connection).toMatchObject({ state: 'connected', scopes: ['read'] });
    expect(Object.keys(fewer.credentials).sort()).toEqual(['access_token', 'client_secret']);
    const keptFor = Date.parse(fewer.previousCredentials!.expiresAt) - gateway.app.clock.nowMs();
    expect(Math.round(keptFor / 3_600_000)).toBe(24);
    expect(await sent()).toBe('Bearer fewer-1');

    expect((await revert(id)).status).toBe(200);
    expect(await read(id)).toMatchObject({ connection, previousCredentials: null });
    expect(await secretsOf(id)).toEqual(before);
    expect(await sent()).toBe(first);
    expect((await revert(id)).status).toBe(409);
    // The refresh token was restored too.
    await gateway.app.advance({ hours: 2 });
    expect(await sent()).not.toBe(first);
  });

  it('by the same account can be undone too, and the renewal goes on', async () => {
    const { id } = await connected();
    const first = await sent();
    await reconnect(id);
    expect(await sent()).not.toBe(first);
    expect((await revert(id)).status).toBe(200);
    expect(await sent()).toBe(first);
    await gateway.app.advance({ hours: 2 });
    expect((await gateway.proxy()).status).toBe(200);
  });

  it('after a new client secret leaves the set before that in its place', async () => {
    const { id } = await connected();
    const first = await sent();
    await gateway.admin(`PUT /services/${id}/credentials`, { credentials: { client_secret: CLIENT_SECRET } });
    await reconnect(id);
    expect(await sent()).not.toBe(first);
    expect((await revert(id)).status).toBe(200);
    expect(await sent()).toBe(first);
  });

  it('after the provider ended the access keeps nothing: it would not work', async () => {
    const { id } = await connected();
    await gateway.app.database.query('UPDATE connections SET needs_reconnect = true WHERE service_id = $1', [id]);
    await reconnect(id);
    expect((await read(id)).previousCredentials).toBeNull();
    expect((await revert(id)).status).toBe(409);
  });

  it('that is denied changes nothing', async () => {
    const { id } = await connected();
    const first = await sent();
    const { url, cookie } = await begin(id);
    const state = new URL(url).searchParams.get('state')!;
    const denied = new URL(`${PUBLIC_URL}/oauth/callback?error=access_denied&state=${state}`);
    expect((await comeBack(denied, cookie)).headers.get('location')).toContain('connection=denied');
    expect((await read(id)).previousCredentials).toBeNull();
    expect(await sent()).toBe(first);
  });
});
