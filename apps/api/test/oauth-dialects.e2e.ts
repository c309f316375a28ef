import fc from 'fast-check';
import type { ServerResponse } from 'node:http';
import type { Service } from '#contracts';
import { startFakeUpstream, type FakeUpstream } from './support/fake-upstream.js';
import { startGateway, type Gateway } from './support/gateway.js';

type Reply = [status: number, body: unknown];

let gateway: Gateway;
let provider: FakeUpstream;
let keys = 0;

beforeAll(async () => {
  provider = await startFakeUpstream();
  gateway = await startGateway({
    PUBLIC_URL: 'https://gateway.example.com',
    PRIVATE_TARGET_ALLOWLIST: provider.hostAndPort,
  });
});
beforeEach(async () => {
  await gateway.logInAgain();
  gateway.model.answer({ score: 0, explanation: 'reads' });
  gateway.upstream.answer((call, response) => response.end(call.method));
});
afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});

const reply = (response: ServerResponse, [status, body]: Reply): void =>
  void response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(typeof body === 'string' ? body : JSON.stringify(body));

/** The token endpoint answers with these in turn, and goes on with the last one. */
function answerWith(...replies: Reply[]): void {
  let turn = 0;
  provider.answer((_call, response) => reply(response, replies[Math.min(turn++, replies.length - 1)]));
}

/** The agent's service: with client credentials, or with a refresh token that somebody has pasted. */
async function use(oauth: object = {}, credentials: object = { client_secret: 'planted-secret' }): Promise<Service> {
  const settings = { grant: 'client_credentials', clientId: 'gateway', scopes: ['read'], tokenAuth: 'basic', ...oauth };
  const service = await gateway.createService({
    authType: 'oauth2',
    oauth: { tokenUrl: `${provider.url}/token`, ...settings },
    credentials,
  });
  await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [service.id] });
  return service;
}

const useRefreshToken = (): Promise<Service> =>
  use(
    { grant: 'authorization_code', authorizationUrl: `${provider.url}/auth` },
    { client_secret: 'planted-secret', refresh_token: 'planted-refresh' },
  );

const readConnection = async ({ id }: Service) => (await gateway.admin<Service>(`GET /services/${id}`)).connection!;
const sent = (): string[] => gateway.upstream.calls.map(({ headers }) => String(headers.authorization));
const post = () => gateway.proxy({ method: 'POST', body: '{}' }, { 'Idempotency-Key': `dialect-${++keys}` });
const end = (service: Service) =>
  gateway.app.database.query(
    `UPDATE connections SET expires_at = now() - interval '1 h', refresh_at = now() - interval '1 h' WHERE service_id = $1`,
    [service.id],
  );

describe('a token endpoint that speaks a dialect', () => {
  it.each<[string, unknown]>([
    ['no token_type', { access_token: 'dialect', expires_in: 3600, scope: 'read' }],
    ['null members', { access_token: 'dialect', token_type: null, expires_in: null, scope: null, refresh_token: null }],
    ['empty members', { access_token: 'dialect', token_type: '', expires_in: '', scope: '', refresh_token: '' }],
    ['odd members', { access_token: 'dialect', token_type: 7, expires_in: {}, scope: ['read'], id_token: 'x.y.z' }],
    ['a byte order mark', '\ufeff{"access_token":"dialect","token_type":"bearer"}'],
  ])('connects with %s', async (_case, body) => {
    const service = await use();
    answerWith([200, body]);
    expect((await gateway.proxy()).status).toBe(200);
    expect(sent().at(-1)).toBe('Bearer dialect');
    expect(await readConnection(service)).toMatchObject({ state: 'connected', error: null });
  });

  it.each<Reply>([
    [400, { error: 'invalid_grant' }],
    [200, { error: 'bad_refresh_token' }],
    [200, { ok: false, error: 'invalid_refresh_token' }],
    [400, { error: 'interaction_required' }],
    [400, { status: 'BAD_REFRESH_TOKEN', message: 'missing or invalid refresh token' }],
    [400, { errors: [{ code: 'invalid_grant', message: 'no' }] }],
    [400, { error: { code: 'invalid_grant', message: 'no' } }],
  ])('asks for a person after %s %j', async (status, body) => {
    const service = await useRefreshToken();
    answerWith([status, body]);
    const answer = await gateway.proxy();
    expect([answer.status, answer.json().error]).toEqual([502, 'The connection to Shop has expired: reconnect it']);
    expect(await readConnection(service)).toMatchObject({ state: 'reconnect' });
  });

  it.each<Reply>([
    [503, { error: 'invalid_grant' }],
    [429, { error: 'bad_refresh_token' }],
    [503, '<html>invalid_grant</html>'],
  ])('is asked again after %s %j', async (status, body) => {
    const service = await useRefreshToken();
    answerWith([status, body], [200, { access_token: 'later' }]);
    const answer = await gateway.proxy();
    expect(answer.status).toBe(502);
    expect(answer.json().error).toMatch(/^The connection to Shop could not be renewed: /);
    expect(await readConnection(service)).toMatchObject({ state: 'expired' });
    expect((await gateway.proxy()).status).toBe(200);
    expect(sent().at(-1)).toBe('Bearer later');
  });

  it.each<[string, string, string, (id: string, secret: string) => string]>([
    ['that decodes', 'a b', 's+/=:1234', (id, secret) => `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`],
    ['that compares as it comes', 'a b', 's+/=:1234', (id, secret) => `${id}:${secret}`],
    [
      'that compares as it comes',
      '6f1c2e9a-7b1d-4a53-9a46-0d8f3f1c5e7b',
      'Ab_c-dEf.0123',
      (id, secret) => `${id}:${secret}`,
    ],
  ])('knows the client at a provider %s: %s', async (_case, clientId, secret, expected) => {
    await use({ clientId }, { client_secret: secret });
    provider.answer(({ headers }, response) => {
      const pair = Buffer.from(headers.authorization!.replace('Basic ', ''), 'base64').toString();
      const isKnown = pair === expected(clientId, secret);
      reply(response, isKnown ? [200, { access_token: 'known' }] : [401, { error: 'invalid_client' }]);
    });
    expect((await gateway.proxy()).status).toBe(200);
    expect(sent().at(-1)).toBe('Bearer known');
  });

  it('does not lose a working connection, whatever it answers during an outage', async () => {
    const service = await useRefreshToken();
    answerWith([200, { access_token: 'first', expires_in: 3600 }]);
    expect((await gateway.proxy()).status).toBe(200);
    const outage = fc.tuple(
      fc.constantFrom(408, 429, 500, 502, 503, 504),
      fc.oneof(
        fc.jsonValue(),
        fc.string(),
        fc.constantFrom({ error: 'invalid_grant' }, { errors: ['BAD_REFRESH_TOKEN'] }),
      ),
    );
    const odd = fc.tuple(
      fc.constant(200),
      fc
        .dictionary(
          fc.constantFrom('token_type', 'expires_in', 'scope', 'id_token', 'error', 'refresh_token'),
          fc.jsonValue(),
        )
        .map((others) => ({ ...others, access_token: 'kept' })),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(outage, odd), async (answer) => {
        await end(service);
        answerWith(answer);
        const { status } = await gateway.proxy();
        expect(status).toBe(answer[0] === 200 ? 200 : 502);
        if (status === 200) expect(sent().at(-1)).toBe('Bearer kept');
        expect((await readConnection(service)).state).not.toBe('reconnect');
      }),
      { numRuns: 40 },
    );
    answerWith([200, { access_token: 'last', expires_in: 3600 }]);
    await end(service);
    expect((await gateway.proxy()).status).toBe(200);
  });
});

it('signs in without PKCE at a provider that refuses it, if the service says so', async () => {
  provider.answer(({ body }, response) => {
    const isRefused = new URLSearchParams(body.toString()).has('code_verifier');
    reply(response, isRefused ? [400, { error: 'invalid_request' }] : [200, { access_token: 'signed-in' }]);
  });
  const signIn = async (pkce?: string) => {
    const oauth = { grant: 'authorization_code', authorizationUrl: `${provider.url}/auth`, pkce };
    const { id } = await use(oauth);
    const headers = { Authorization: `Bearer ${gateway.token}` };
    const begun = await fetch(`${gateway.url}/services/${id}/oauth/connect`, { method: 'POST', headers });
    const { searchParams } = new URL(((await begun.json()) as { url: string }).url);
    const back = await fetch(`${gateway.url}/oauth/callback?code=c&state=${searchParams.get('state')}`, {
      redirect: 'manual',
      headers: { cookie: begun.headers.getSetCookie()[0].split(';')[0] },
    });
    const { state } = await readConnection({ id } as Service);
    return [searchParams.get('code_challenge_method'), searchParams.has('code_challenge'), back.status, state];
  };
  expect(await signIn()).toEqual(['S256', true, 303, 'none']);
  expect(await signIn('S256')).toEqual(['S256', true, 303, 'none']);
  expect(await signIn('none')).toEqual([null, false, 303, 'connected']);
  const answer = await gateway.tryAdmin('POST /services', {
    name: 'Odd',
    baseUrl: 'https://api.example.com',
    authType: 'oauth2',
    oauth: {
      grant: 'client_credentials',
      tokenUrl: 'https://a.example.com/t',
      clientId: 'c',
      scopes: [],
      tokenAuth: 'post',
      pkce: 'plain',
    },
  });
  expect([answer.status, answer.body.error]).toEqual([
    400,
    'oauth.pkce: must be one of the following values: S256, none',
  ]);
});

describe('a token whose life nobody knows', () => {
  it('is replaced after the 401 of a POST, which is sent once: the next POST has a new token', async () => {
    let issued = 0;
    provider.answer((_call, response) => reply(response, [200, { access_token: `t-${++issued}` }]));
    await use();
    expect((await post()).status).toBe(200);
    const old = sent().at(-1);
    gateway.upstream.answer((call, response) => {
      response.statusCode = call.headers.authorization === old ? 401 : 200;
      response.end();
    });
    const calls = gateway.upstream.calls.length;
    expect((await post()).status).toBe(401);
    expect(sent().slice(calls)).toEqual([old]);
    expect((await post()).status).toBe(200);
    expect([sent().at(-1), issued]).toEqual(['Bearer t-2', 2]);
  });

  it('is replaced for the next POST also by a slow provider', async () => {
    let issued = 0;
    let release = (): void => {};
    provider.answer((_call, response) => {
      const answer = () => reply(response, [200, { access_token: `slow-${++issued}` }]);
      if (issued === 0) answer();
      else release = answer;
    });
    await use();
    expect((await post()).status).toBe(200);
    gateway.upstream.answer((call, response) => {
      response.statusCode = call.headers.authorization === 'Bearer slow-1' ? 401 : 200;
      response.end();
    });
    const asked = provider.calls.length;
    // The answer does not wait for a provider that takes longer than five seconds.
    expect((await post()).status).toBe(401);
    expect(provider.calls).toHaveLength(asked + 1);
    const next = post();
    release();
    expect((await next).status).toBe(200);
    expect(sent().at(-1)).toBe('Bearer slow-2');
  });
});

describe('a token that lives for a moment', () => {
  it.each([1, 0.001, 0, -60, '1', -1e300])('makes requests slow, and fails none: expires_in %j', async (expires_in) => {
    let issued = 0;
    provider.answer((_call, response) => reply(response, [200, { access_token: `brief-${++issued}`, expires_in }]));
    await use();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => (turn % 3 === 0 ? post() : gateway.proxy())),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    for (let turn = 0; turn < 4; turn++) {
      const before = issued;
      expect((await (turn % 2 === 0 ? post() : gateway.proxy())).status).toBe(200);
      expect(issued - before).toBeLessThanOrEqual(1);
      expect(sent().at(-1)).toBe(`Bearer brief-${issued}`);
    }
  });

  it('is renewed once by a request that meets 401', async () => {
    let issued = 0;
    provider.answer((_call, response) => reply(response, [200, { access_token: `r-${++issued}`, expires_in: 0.001 }]));
    await use();
    gateway.upstream.answer((_call, response) => response.writeHead(401).end());
    expect((await gateway.proxy()).status).toBe(401);
    expect(issued).toBe(1);
  });
});

describe('the clock', () => {
  it('of the database decides whether a token has expired; the clock of an instance does not', async () => {
    let issued = 0;
    provider.answer((_call, response) => reply(response, [200, { access_token: `c-${++issued}`, expires_in: 3600 }]));
    const service = await use();
    expect((await gateway.proxy()).status).toBe(200);
    for (const hours of [5, -10]) {
      gateway.app.clock.advance({ hours });
      const before = issued;
      expect((await gateway.proxy()).status).toBe(200);
      expect(issued).toBe(before);
      // The view of this instance is the same as before. Only the database knows that time has passed.
      await end(service);
      expect((await gateway.proxy()).status).toBe(200);
      expect(issued).toBe(before + 1);
    }
    gateway.app.clock.advance({ hours: 5 });
  });
});
