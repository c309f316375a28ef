import type { Service } from '#contracts';
import { CLIENT_SECRET, OAuthGateway, PUBLIC_URL, type Begun } from './support/oauth-gateway.js';

const world = new OAuthGateway();

it('connecting needs PUBLIC_URL', async () => {
  const other = await world.gateway.secondInstance();
  try {
    const { id } = await world.use();
    const { status, body } = await other.tryAdmin(`POST /services/${id}/oauth/connect`);
    expect([status, body.error]).toEqual([400, 'Set PUBLIC_URL first: the provider sends the browser back to it']);
  } finally {
    await other.app.close();
  }
});

it('connecting from a page at another host than PUBLIC_URL says where to go', async () => {
  const { id } = await world.use();
  const connect = (origin: string) =>
    fetch(`${world.gateway.url}/services/${id}/oauth/connect`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.gateway.token}`, Origin: origin },
    });
  const other = await connect('http://10.0.0.5:3000');
  const error = `Open the dashboard at ${PUBLIC_URL} first: the provider sends the browser back there`;
  expect([other.status, await other.json()]).toEqual([400, { error, statusCode: 400 }]);
  expect((await connect(PUBLIC_URL)).status).toBe(200);
});

describe('connecting a service', () => {
  it('needs a sign-in at the provider; then its requests carry the token', async () => {
    const before = await world.use();
    expect(before).toMatchObject({
      missingCredentials: [],
      connection: { state: 'none', expiresAt: null, scopes: [], connectedBy: null, connectedAt: null, error: null },
    });
    const refused = await world.gateway.proxy();
    expect([refused.status, refused.json()]).toEqual([502, { error: 'Connect Shop first', statusCode: 502 }]);
    const { url, cookie } = await world.begin(before.id);
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
    const answer = await world.comeBack(await world.provider.signIn(url), cookie);
    expect(answer.headers.get('location')).toBe(`/dashboard/services/${before.id}?connection=connected`);

    const service = await world.read(before.id);
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
    expect(Date.parse(service.connection!.expiresAt!)).toBeGreaterThan(world.gateway.app.clock.nowMs());
    expect((await world.gateway.proxy()).status).toBe(200);
    expect(world.tokens().at(-1)).toMatch(/^Bearer [\w-]{20,}$/);
    expect(await world.gateway.admin(`POST /services/${service.id}/test`, {})).toMatchObject({ status: 200 });
    const records = JSON.stringify(await world.gateway.audit());
    expect(records).toContain('service.connected');
    for (const secret of [world.tokens().at(-1)!.slice(7), CLIENT_SECRET]) expect(records).not.toContain(secret);
  });

  it('accepts one of ten answers that arrive at once', async () => {
    const { id } = await world.use();
    const { url, cookie } = await world.begin(id);
    const to = await world.provider.signIn(url);
    const before = await world.provider.requests();
    const answers = await Promise.all(Array.from({ length: 10 }, () => world.comeBack(to, cookie)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array<number>(9).fill(400)]);
    expect(await world.provider.requests()).toBe(before + 1);
    expect((await world.read(id)).connection).toMatchObject({ state: 'connected' });
  });

  it.each<[string, (begun: Begun, to: URL) => Promise<Response>]>([
    ['without the cookie', (_begun, to) => world.comeBack(to, '')],
    [
      'with the cookie of another sign-in',
      async ({ cookie }, to) => world.comeBack(to, cookie.replace(/=[^;]*/, `=${'a'.repeat(43)}`)),
    ],
    [
      'with an unknown state',
      ({ cookie }, to) => {
        to.searchParams.set('state', 'unknown');
        return world.comeBack(to, cookie);
      },
    ],
    [
      'too late',
      async ({ cookie }, to) => {
        await world.gateway.app.advance({ minutes: 11 });
        return world.comeBack(to, cookie);
      },
    ],
    [
      'after another provider was set',
      async ({ cookie }, to) => {
        const { id, oauth } = (await world.gateway.admin<Service[]>('GET /services')).at(-1)!;
        await world.gateway.admin(`PUT /services/${id}`, {
          oauth: { ...oauth, tokenUrl: 'https://other.example.com/token' },
        });
        return world.comeBack(to, cookie);
      },
    ],
    [
      'twice',
      async ({ cookie }, to) => {
        await world.comeBack(to, cookie);
        return world.comeBack(to, cookie);
      },
    ],
  ])('is refused %s, before the provider is asked', async (name, act) => {
    const { id } = await world.use();
    const begun = await world.begin(id);
    const to = await world.provider.signIn(begun.url);
    const before = await world.provider.requests();
    const answer = await act(begun, to);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'This sign-in is unknown, has expired or was used already: connect the service again', statusCode: 400 },
    ]);
    expect(await world.provider.requests()).toBe(before + (name === 'twice' ? 1 : 0));
  });

  it('stores nothing if the person refuses, or the answer names another provider', async () => {
    const { id } = await world.use();
    for (const [parameters, outcome, error] of [
      [{ error: 'access_denied' }, 'denied', 'The provider answered access_denied'],
      [
        { code: 'x', iss: 'https://evil.example.com' },
        'failed',
        `The answer came from another provider: it names https://evil.example.com, and the service has ${world.provider.url}`,
      ],
      [
        { error: 'redirect_uri_mismatch' },
        'failed',
        `The provider answered redirect_uri_mismatch: it does not accept the redirect URI ${PUBLIC_URL}/oauth/callback. Enter exactly this one at the provider`,
      ],
    ] as const) {
      const { url, cookie } = await world.begin(id);
      const to = new URL(`${PUBLIC_URL}/oauth/callback`);
      to.search = String(new URLSearchParams({ ...parameters, state: new URL(url).searchParams.get('state')! }));
      const answer = await world.comeBack(to, cookie);
      expect(answer.headers.get('location')).toBe(`/dashboard/services/${id}?connection=${outcome}`);
      expect((await world.read(id)).connection).toMatchObject({ state: 'none', error });
    }
  });

  it('shows the granted scopes if they are fewer than requested', async () => {
    const { id } = await world.use();
    const { url, cookie } = await world.begin(id);
    const to = await world.provider.signIn(url);
    await world.provider.mode('fewer');
    await world.comeBack(to, cookie);
    expect((await world.read(id)).connection).toMatchObject({ state: 'connected', scopes: ['read'] });
  });

  it.each([
    [{ oauth: { grant: 'client_credentials' } }, /Only a service with oauth and the grant authorization_code/],
    [{ oauth: { tokenUrl: 'http://10.0.0.1/token' } }, /Access to private IP ranges is forbidden/],
  ])('is refused for %j', async ({ oauth }, message) => {
    const { id } = await world.use(oauth);
    const { body } = await world.gateway.tryAdmin(`POST /services/${id}/oauth/connect`);
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
    const all = { ...fields, authType: 'oauth2', oauth: world.settings(oauth) };
    const { status, body } = await world.gateway.tryAdmin('POST /services', all);
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)]);
  });
});
