import type { TestServiceResult } from '#contracts';
import { CLIENT_SECRET, OAuthGateway, PUBLIC_URL } from './support/oauth-gateway.js';
import type { ProviderMode } from './support/oauth-provider.js';

const world = new OAuthGateway();

describe('a new client secret', () => {
  const CLIENT = { grant: 'client_credentials', scopes: ['read'], extraParams: undefined, authorizationUrl: undefined };
  const test = (id: number, credentials: object): Promise<TestServiceResult> =>
    world.gateway.admin<TestServiceResult>(`POST /services/${id}/credentials/test`, { credentials, path: '/me' });
  const WRONG = { clientSecret: 'rejected', status: null, reason: 'The provider answered 401 invalid_client' };

  it('is tested with a token of its own, if the client gets its tokens itself', async () => {
    const { id, credentials } = await world.use(CLIENT, { client_secret: 'old' });
    const tested = await test(id, { client_secret: CLIENT_SECRET });
    expect(tested).toEqual({ status: 200, reason: null, durationMs: expect.any(Number), clientSecret: 'accepted' });
    expect(world.gateway.upstream.calls.at(-1)).toMatchObject({ method: 'GET', path: '/v1/me' });
    expect(world.tokens().at(-1)).toMatch(/^Bearer [\w-]{20,}$/);
    const calls = world.gateway.upstream.calls.length;
    expect(await test(id, { client_secret: 'wrong' })).toMatchObject(WRONG);
    expect(world.gateway.upstream.calls).toHaveLength(calls);
    // Nothing of the test is stored.
    expect((await world.read(id)).credentials).toEqual(credentials);
    expect((await world.gateway.proxy()).status).toBe(502);
  });

  it('is tested without using up a token of a connection, which continues to work', async () => {
    const { id, connection } = await world.connected();
    const before = await world.readSecrets(id);
    expect(await test(id, { client_secret: CLIENT_SECRET })).toEqual({
      status: null,
      reason: null,
      durationMs: expect.any(Number),
      clientSecret: 'accepted',
    });
    expect(await test(id, { client_secret: 'wrong', refresh_token: before.refreshToken! })).toMatchObject(WRONG);
    const accepted = await test(id, { client_secret: CLIENT_SECRET, refresh_token: before.refreshToken! });
    expect(accepted.clientSecret).toBe('accepted');
    expect(await world.readSecrets(id)).toEqual(before);
    expect((await world.read(id)).connection).toEqual(connection);
    // The refresh token is still valid.
    await world.gateway.app.advance({ hours: 2 });
    expect((await world.gateway.proxy()).status).toBe(200);
    await world.gateway.logInAgain();
    const records = JSON.stringify(await world.gateway.audit(`&kind=change&serviceId=${id}`));
    expect(records).toContain('service.credentials_tested');
    expect(records).not.toContain(CLIENT_SECRET);
  });

  it.each<[ProviderMode, string, string]>([
    ['error', 'unknown', 'The provider answered 500 server_error'],
    ['html', 'unknown', 'The token endpoint answered 200 without a JSON object'],
    ['client', 'rejected', 'The provider answered 401 invalid_client'],
    [
      'grant',
      'unknown',
      'The provider answers a wrong client secret in the same way, so only a sign-in can show whether this one is valid',
    ],
    ['odd', 'unknown', 'The provider gave a token for a code that it did not issue'],
  ])('is tested as far as possible when the token endpoint answers as %s', async (mode, clientSecret, reason) => {
    const { id } = await world.use();
    await world.provider.mode(mode);
    expect(await test(id, { client_secret: CLIENT_SECRET })).toMatchObject({ status: null, clientSecret, reason });
  });

  it('is not tested where the egress guard forbids it, and a public client has none', async () => {
    const { id } = await world.use({ tokenUrl: 'http://127.0.0.2:1/token' });
    const guarded = await test(id, { client_secret: CLIENT_SECRET });
    expect(guarded).toMatchObject({
      status: null,
      clientSecret: 'unknown',
      reason: expect.stringMatching(/^Token endpoint: /),
    });
    const open = await world.use({}, {});
    expect(await test(open.id, { refresh_token: 'x' })).toMatchObject({
      clientSecret: 'unknown',
      reason: 'There is no client secret to test. Connect the service',
    });
  });
});

describe('a reconnect', () => {
  const reconnect = async (id: number, mode: ProviderMode = 'ok'): Promise<void> => {
    const { url, cookie } = await world.begin(id);
    const to = await world.provider.signIn(url);
    await world.provider.mode(mode);
    const answer = await world.comeBack(to, cookie);
    expect(answer.headers.get('location')).toBe(`/dashboard/services/${id}?connection=connected`);
    await world.provider.mode('ok');
  };
  const revert = (id: number) => world.gateway.tryAdmin(`POST /services/${id}/credentials/revert`);
  const sent = async (): Promise<string> => {
    expect((await world.gateway.proxy()).status).toBe(200);
    return world.tokens().at(-1)!;
  };

  it('by an account with fewer rights is undone by a revert, which restores the previous connection', async () => {
    const { id, connection } = await world.connected();
    const [before, first] = [await world.readSecrets(id), await sent()];
    expect((await world.read(id)).previousCredentials).toBeNull();
    await reconnect(id, 'fewer');
    const fewer = await world.read(id);
    expect(fewer.connection).toMatchObject({ state: 'connected', scopes: ['read'] });
    expect(Object.keys(fewer.credentials).sort()).toEqual(['access_token', 'client_secret']);
    const keptFor = Date.parse(fewer.previousCredentials!.expiresAt) - world.gateway.app.clock.nowMs();
    expect(Math.round(keptFor / 3_600_000)).toBe(24);
    expect(await sent()).toBe('Bearer fewer-1');

    expect((await revert(id)).status).toBe(200);
    expect(await world.read(id)).toMatchObject({ connection, previousCredentials: null });
    expect(await world.readSecrets(id)).toEqual(before);
    expect(await sent()).toBe(first);
    expect((await revert(id)).status).toBe(409);
    // The refresh token was restored too.
    await world.gateway.app.advance({ hours: 2 });
    expect(await sent()).not.toBe(first);
  });

  it('by the same account can be undone too, and the renewals continue', async () => {
    const { id } = await world.connected();
    const first = await sent();
    await reconnect(id);
    expect(await sent()).not.toBe(first);
    expect((await revert(id)).status).toBe(200);
    expect(await sent()).toBe(first);
    await world.gateway.app.advance({ hours: 2 });
    expect((await world.gateway.proxy()).status).toBe(200);
  });

  it('after a new client secret does not replace the kept previous set', async () => {
    const { id } = await world.connected();
    const first = await sent();
    await world.gateway.admin(`PUT /services/${id}/credentials`, { credentials: { client_secret: CLIENT_SECRET } });
    await reconnect(id);
    expect(await sent()).not.toBe(first);
    expect((await revert(id)).status).toBe(200);
    expect(await sent()).toBe(first);
  });

  it('after the provider ended the access keeps no previous connection, because it would not work', async () => {
    const { id } = await world.connected();
    await world.gateway.app.database.query('UPDATE connections SET needs_reconnect = true WHERE service_id = $1', [id]);
    await reconnect(id);
    expect((await world.read(id)).previousCredentials).toBeNull();
    expect((await revert(id)).status).toBe(409);
  });

  it('that is denied changes nothing', async () => {
    const { id } = await world.connected();
    const first = await sent();
    const { url, cookie } = await world.begin(id);
    const state = new URL(url).searchParams.get('state')!;
    const denied = new URL(`${PUBLIC_URL}/oauth/callback?error=access_denied&state=${state}`);
    expect((await world.comeBack(denied, cookie)).headers.get('location')).toContain('connection=denied');
    expect((await world.read(id)).previousCredentials).toBeNull();
    expect(await sent()).toBe(first);
  });
});
