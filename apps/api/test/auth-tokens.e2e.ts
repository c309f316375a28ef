import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { LoginResponse } from '#contracts';
import { call, login, register } from './support/accounts.js';
import { startApp, type TestApp } from './support/start-app.js';

/** Attacks on the bearer token: each one changes a valid token in one place. */
describe('the bearer token', () => {
  let app: TestApp;
  let session: LoginResponse;
  let claims: Record<string, unknown>;

  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const decode = (part: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  const HS256 = { alg: 'HS256', typ: 'JWT' };

  const forge = (
    payload: object,
    header: object = HS256,
    secret = app.config.auth.jwtSecret,
    hash = 'sha256',
  ): string => {
    const input = `${encode(header)}.${encode(payload)}`;
    return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
  };
  const without = (name: string): object => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
  const me = async (authorization?: string): Promise<[number, string]> => {
    const { status, body } = await call(app, 'GET /auth/me', {
      headers: authorization === undefined ? {} : { Authorization: authorization },
    });
    return [status, body.error];
  };
  const INVALID = [401, 'Invalid or expired token'];

  beforeAll(async () => {
    app = await startApp();
    await register(app, 'ada@example.com');
    session = await login(app, 'ada@example.com');
    claims = decode(session.accessToken.split('.')[1]);
  });
  afterAll(() => app.close());

  it('carries the claims of docs/reference/dashboard-api.md#tokens and nothing else', () => {
    expect(decode(session.accessToken.split('.')[0])).toEqual(HS256);
    expect(claims).toEqual({
      iss: 'agent-gateway',
      sub: String(session.user.id),
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      typ: 'access',
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iat: expect.any(Number),
      exp: (claims.iat as number) + 900,
    });
    const refresh = decode(session.refreshToken.split('.')[1]);
    expect(refresh).toMatchObject({ typ: 'refresh', sid: claims.sid, exp: (refresh.iat as number) + 7 * 86_400 });
  });

  it('works if it is forged with the right secret, so each refusal below has only one cause', async () => {
    expect((await me(`Bearer ${forge(claims)}`))[0]).toBe(200);
    expect((await me(`bearer ${session.accessToken}`))[0]).toBe(200);
  });

  it.each([
    [undefined, 'Missing authorization header'],
    ['', 'Missing authorization header'],
    ['Basic YTpi', 'Invalid authorization header format'],
    ['eyJhbGciOiJIUzI1NiJ9', 'Invalid authorization header format'],
    ['Bearer one two', 'Invalid authorization header format'],
    ['Bearer', 'Missing token'],
    ['Bearer ', 'Missing token'],
    ['Bearer nonsense', 'Invalid or expired token'],
    ['Bearer a.b.c', 'Invalid or expired token'],
    ['Bearer ..', 'Invalid or expired token'],
  ])('is refused with its error text if it is missing, malformed or invalid: %p', async (header, text) => {
    expect(await me(header)).toEqual([401, text]);
  });

  it('is refused when its header lists critical extensions', async () => {
    for (const crit of [['exp'], ['b64'], [], 'exp', null]) {
      expect(await me(`Bearer ${forge(claims, { ...HS256, crit, b64: true })}`)).toEqual(INVALID);
    }
    const refresh = forge(decode(session.refreshToken.split('.')[1]), { ...HS256, crit: ['exp'] });
    const { status } = await call(app, 'POST /auth/refresh', { body: { refreshToken: refresh } });
    expect(status).toBe(401);
    // Without `crit`, both tokens work.
    const { status: refreshed } = await call(app, 'POST /auth/refresh', {
      body: { refreshToken: session.refreshToken },
    });
    expect(refreshed).toBe(200);
  });

  it.each([['none'], ['None'], ['NONE'], ['nOnE']])('is refused with alg %s, signed or not', async (alg) => {
    const input = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
    for (const signature of ['', session.accessToken.split('.')[2], 'AA']) {
      expect(await me(`Bearer ${input}.${signature}`)).toEqual(INVALID);
    }
    expect(await me(`Bearer ${input}`)).toEqual(INVALID);
  });

  it('is refused with another algorithm, even with the right secret', async () => {
    expect(await me(`Bearer ${forge(claims, { alg: 'HS384', typ: 'JWT' }, undefined, 'sha384')}`)).toEqual(INVALID);
    expect(await me(`Bearer ${forge(claims, { alg: 'HS512', typ: 'JWT' }, undefined, 'sha512')}`)).toEqual(INVALID);
    expect(await me(`Bearer ${forge(claims, { typ: 'JWT' })}`)).toEqual(INVALID);
  });

  it('is refused with a wrong, empty or altered signature', async () => {
    const [header, payload, signature] = session.accessToken.split('.');
    expect(await me(`Bearer ${forge(claims, HS256, 'another secret')}`)).toEqual(INVALID);
    expect(await me(`Bearer ${forge(claims, HS256, '')}`)).toEqual(INVALID);
    expect(await me(`Bearer ${header}.${payload}.`)).toEqual(INVALID);
    const bent = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    expect(await me(`Bearer ${header}.${payload}.${bent}`)).toEqual(INVALID);
    expect(await me(`Bearer ${header}.${encode({ ...claims, sub: '2' })}.${signature}`)).toEqual(INVALID);
  });

  it('ignores a key in its own header', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = publicKey.export({ format: 'jwk' });
    const pem = publicKey.export({ format: 'pem', type: 'spki' }) as string;
    for (const alg of ['RS256', 'PS256']) {
      const input = `${encode({ alg, typ: 'JWT', jwk, jku: `${app.url}/jwks`, kid: '0' })}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(input), privateKey).toString('base64url');
      expect(await me(`Bearer ${input}.${signature}`)).toEqual(INVALID);
    }
    const secret = Buffer.from('attacker').toString('base64url');
    const headers = [
      { ...HS256, jwk: { kty: 'oct', k: secret } },
      { ...HS256, kid: '/dev/null' },
      { ...HS256, kid: "' UNION SELECT 'attacker" },
      { ...HS256, jku: `${app.url}/jwks` },
      { ...HS256, x5u: `${app.url}/cert`, x5c: [pem] },
    ];
    for (const header of headers) {
      for (const key of ['attacker', '', pem])
        expect(await me(`Bearer ${forge(claims, header, key)}`)).toEqual(INVALID);
    }
  });

  it("can't be a refresh token, and an access token can't refresh", async () => {
    expect(await me(`Bearer ${session.refreshToken}`)).toEqual(INVALID);
    for (const route of ['POST /auth/refresh', 'POST /auth/logout']) {
      const { status, body } = await call(app, route, { body: { refreshToken: session.accessToken } });
      expect([status, body.error]).toEqual(INVALID);
    }
    expect((await me(`Bearer ${session.accessToken}`))[0]).toBe(200);
  });

  it.each(['iss', 'sub', 'jti', 'typ', 'sid', 'exp', 'iat'])('is refused without %s', async (name) => {
    expect(await me(`Bearer ${forge(without(name))}`)).toEqual(INVALID);
  });

  it('is refused with foreign or invalid claims', async () => {
    const now = Math.floor(Date.now() / 1000);
    const changes: Record<string, unknown>[] = [
      { iss: 'someone-else' },
      { iss: ['agent-gateway'] },
      { sub: 1 },
      { sub: '1 OR 1=1' },
      { sub: '0' },
      { sub: '99999999999999999999' },
      { sub: '2147483647' },
      { sub: null },
      { jti: 'x' },
      { jti: 7 },
      { sid: randomUUID() },
      { sid: "'; DROP TABLE sessions" },
      { typ: 'Access' },
      { typ: ['access'] },
      { exp: now - 1 },
      { exp: now },
      { exp: String(now + 900) },
      { exp: null },
      { exp: 1e300 },
      { nbf: now + 300 },
      { nbf: 'soon' },
      { iat: now + 3600 },
    ];
    for (const change of changes) {
      expect([change, await me(`Bearer ${forge({ ...claims, ...change })}`)]).toEqual([change, INVALID]);
    }
    for (const payload of [null, [], 7, 'text'] as unknown as object[]) {
      expect(await me(`Bearer ${forge(payload)}`)).toEqual(INVALID);
    }
  });

  it('of another user does not open this session', async () => {
    await app.database.query(
      `INSERT INTO users (email, name, password_hash, created_at, updated_at) VALUES ('bob@example.com', 'bob', '-', now(), now())`,
    );
    expect(await me(`Bearer ${forge({ ...claims, sub: '2' })}`)).toEqual(INVALID);
  });

  it('expires', async () => {
    const { accessToken } = await login(app, 'ada@example.com');
    app.clock.advance({ seconds: 890 });
    expect((await me(`Bearer ${accessToken}`))[0]).toBe(200);
    app.clock.advance({ seconds: 10 });
    expect(await me(`Bearer ${accessToken}`)).toEqual(INVALID);
  });

  it('is refused after its account is deleted', async () => {
    const { accessToken, user } = await login(app, 'ada@example.com');
    await app.database.query('DELETE FROM users WHERE id = $1', [user.id]);
    expect(await me(`Bearer ${accessToken}`)).toEqual(INVALID);
  });
});
