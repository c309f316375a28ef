import { generateKeyPairSync } from 'node:crypto';
import type {
  AuthMethods,
  Confirmation,
  CreatedAccessToken,
  LoginResponse,
  Passkey,
  PasskeyAssertion,
  PasskeyOptions,
  Workspace,
} from '#contracts';
import { AccessEvents } from '../src/auth/access-events.js';
import { call, login, PASSWORD, register, statusOf, type Answer } from './support/accounts.js';
import { Authenticator, type Bend } from './support/authenticator.js';
import { startApp, type TestApp } from './support/start-app.js';

const ORIGIN = 'https://gateway.example.com';
const REFUSED = { error: 'Passkey not accepted', statusCode: 401 };
const EXPIRED = {
  error: 'This took too long, was used already, or began in another browser: try again',
  statusCode: 400,
};

let app: TestApp;
let told: string[] = [];
beforeAll(async () => {
  app = await startApp({ PUBLIC_URL: ORIGIN, ALLOW_REGISTRATION: 'true', TRUST_PROXY: 'true' });
  app.app.get(AccessEvents).subscribe(({ action }) => void told.push(action));
});
beforeEach(() => {
  told = [];
});
afterAll(() => app.close());

interface Begun {
  options: object;
  cookie: string;
}

/** Asks for options. The cookie ties the answer to this browser. */
async function begin(route: string, token?: string, at = app): Promise<Begun> {
  const answer = await call<PasskeyOptions & { error?: string }>(at, `POST ${route}`, { token });
  if (answer.status !== 200) throw new Error(`${route}: ${answer.status} ${answer.body.error}`);
  const [cookie] = answer.headers.getSetCookie().map((each) => each.split(';')[0]);
  return { options: answer.body.options, cookie };
}

const send = <T = LoginResponse & { error?: string }>(
  route: string,
  body: object,
  { cookie = '', token, address = '192.0.2.1' }: { cookie?: string; token?: string; address?: string } = {},
): Promise<Answer<T>> =>
  call<T>(app, `POST ${route}`, { body, token, headers: { cookie, 'X-Forwarded-For': address } });

const confirm = (token: string) => call(app, 'POST /auth/confirm', { token, body: { password: PASSWORD } });

let people = 0;
async function newPerson(): Promise<{ email: string; token: string }> {
  const email = `person${++people}@example.com`;
  await register(app, email);
  return { email, token: (await login(app, email)).accessToken };
}

async function add(token: string, device = new Authenticator(ORIGIN), name = 'Phone'): Promise<Passkey> {
  await confirm(token);
  const { options, cookie } = await begin('/auth/passkeys/options', token);
  const body = { name, passkey: device.register(options) };
  const answer = await send<Passkey>('/auth/passkeys', body, { cookie, token });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** A person who has a passkey. */
async function withPasskey(counts = true) {
  const person = await newPerson();
  const device = new Authenticator(ORIGIN, counts);
  return { ...person, device, passkey: await add(person.token, device) };
}

let address = 0;
async function signIn(device: Authenticator, bend?: Bend) {
  const { options, cookie } = await begin('/auth/passkeys/login/options');
  return send(
    '/auth/passkeys/login',
    { passkey: device.sign(options, bend) },
    { cookie, address: `203.0.113.${++address % 250}` },
  );
}

const list = async (token: string): Promise<Passkey[]> =>
  (await call<Passkey[]>(app, 'GET /auth/passkeys', { token })).body;

it('GET /auth/methods says that people can log in with passkeys', async () => {
  expect((await call<AuthMethods>(app, 'GET /auth/methods')).body).toEqual({
    password: true,
    oidc: null,
    passkeys: true,
  });
});

describe('adding a passkey', () => {
  it('needs a confirmed session, and asks the device for a discoverable passkey', async () => {
    const { email, token } = await newPerson();
    const refused = await call(app, 'POST /auth/passkeys/options', { token });
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'confirmation_required']);
    await confirm(token);
    const { options } = await begin('/auth/passkeys/options', token);
    expect(options).toMatchObject({
      rp: { id: 'gateway.example.com', name: 'Agent Gateway' },
      user: { id: expect.stringMatching(/^[\w-]{43}$/), name: email },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      excludeCredentials: [],
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  });

  it('works for several devices, which share the handle of the account and are not made twice', async () => {
    const { token } = await newPerson();
    const [phone, key] = [new Authenticator(ORIGIN, false), new Authenticator(ORIGIN)];
    const first = await add(token, phone, ' Phone ');
    expect(first).toEqual({ id: expect.any(Number), name: 'Phone', createdAt: expect.any(String), lastUsedAt: null });
    const { options } = await begin('/auth/passkeys/options', token);
    expect(options).toMatchObject({ user: { id: phone.userHandle }, excludeCredentials: [{ id: phone.id }] });
    await add(token, key, 'Key');
    expect(await list(token)).toEqual([first, expect.objectContaining({ name: 'Key' })]);
    await app.settled();
    expect(told).toContain('passkey.added');
  });

  it('a passkey that an account has is refused, also to another account', async () => {
    const { device } = await withPasskey();
    const { token } = await newPerson();
    await confirm(token);
    const { options, cookie } = await begin('/auth/passkeys/options', token);
    const passkey = device.register(options);
    const answer = await send('/auth/passkeys', { name: 'Phone', passkey }, { cookie, token });
    expect([answer.status, answer.body.error]).toEqual([409, 'This passkey was added already']);
  });

  it('makes its origin a known place of the person', async () => {
    const { email, device } = await withPasskey();
    expect((await signIn(device)).status).toBe(200);
    const places = await app.database.query<{ network: string }[]>(
      'SELECT p.network FROM known_places p JOIN users u ON u.id = p.user_id WHERE u.email = $1 ORDER BY p.network',
      [email],
    );
    expect(places.map(({ network }) => network)).toEqual(['127.0.0.0/16', '203.0.0.0/16']);
  });

  it.each<[string, Bend]>([
    ['another origin', { clientData: { origin: 'https://evil.example' } }],
    ['an origin that only begins the same', { clientData: { origin: `${ORIGIN}.evil.example` } }],
    ['another host', { rpId: 'evil.example' }],
    ['another purpose', { clientData: { type: 'webauthn.get' } }],
    ['a device that did not verify its person', { flags: 0x01 }],
    ['a device whose person was not there', { flags: 0x04 }],
  ])('refuses %s, and adds nothing', async (_what, bend) => {
    const { token } = await newPerson();
    await confirm(token);
    const { options, cookie } = await begin('/auth/passkeys/options', token);
    const passkey = new Authenticator(ORIGIN).register(options, bend);
    const answer = await send('/auth/passkeys', { name: 'Phone', passkey }, { cookie, token });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: 'The passkey can’t be added: the answer of the device is not valid', statusCode: 400 },
    ]);
    expect(await list(token)).toEqual([]);
  });

  it('refuses every field that is missing, empty, of another type, too long or not base64url', async () => {
    const { token } = await newPerson();
    await confirm(token);
    const { options, cookie } = await begin('/auth/passkeys/options', token);
    const passkey = new Authenticator(ORIGIN).register(options);
    const bodies = bent({ name: 'Phone', passkey }, ['passkey.response.transports']);
    for (const [what, body] of bodies) {
      const answer = await send('/auth/passkeys', body, { cookie, token });
      expect([what, answer.status]).toEqual([what, 400]);
      expect(answer.body.error).toMatch(/^(name|passkey)/);
    }
    expect(await list(token)).toEqual([]);
    // None of these requests has used up the challenge.
    expect((await send('/auth/passkeys', { name: 'Phone', passkey }, { cookie, token })).status).toBe(201);
  });

  it('refuses attestations that are garbage', async () => {
    const { token } = await newPerson();
    await confirm(token);
    for (const garbage of ['AA', '_____w', 'o2NmbXRkbm9uZQ', 'n'.repeat(5000)]) {
      const { options, cookie } = await begin('/auth/passkeys/options', token);
      const passkey = new Authenticator(ORIGIN).register(options);
      passkey.response.attestationObject = garbage;
      expect((await send('/auth/passkeys', { name: 'Phone', passkey }, { cookie, token })).status).toBe(400);
    }
    expect(await list(token)).toEqual([]);
  });

  it('is for a person without password and passkey only while the log-in is fresh', async () => {
    const { email, token } = await newPerson();
    await app.database.query('UPDATE users SET password_hash = NULL WHERE email = $1', [email]);
    await begin('/auth/passkeys/options', token);
    await app.database.query(`UPDATE sessions SET created_at = created_at - interval '6 minutes'`);
    const late = await call(app, 'POST /auth/passkeys/options', { token });
    expect([late.status, late.headers.get('x-error-code')]).toEqual([403, 'confirmation_required']);
  });
});

describe('signing in', () => {
  it('needs no typing, opens a session, and sets the cookie of a log-in', async () => {
    const { email, token, device } = await withPasskey();
    const { options, cookie } = await begin('/auth/passkeys/login/options');
    expect(options).toMatchObject({ rpId: 'gateway.example.com', allowCredentials: [], userVerification: 'required' });
    const answer = await send('/auth/passkeys/login', { passkey: device.sign(options) }, { cookie });
    expect([answer.status, answer.body.user.email]).toEqual([200, email]);
    expect(answer.headers.getSetCookie().join()).toContain(`agw_refresh=${answer.body.refreshToken}`);
    expect(await statusOf(app, answer.body.accessToken)).toBe(200);
    const [{ lastUsedAt }] = await list(token);
    expect(lastUsedAt).not.toBeNull();
    await app.settled();
    expect(told.filter((action) => action === 'login')).toHaveLength(2);
    // A log-in with a passkey does not count as a confirmation.
    const state = await call<Confirmation>(app, 'GET /auth/confirm', { token: answer.body.accessToken });
    expect(state.body).toEqual({ confirmedUntil: null, password: true, passkey: true });
  });

  it.each<[string, Bend]>([
    ['another origin', { clientData: { origin: 'https://evil.example' } }],
    ['another host', { rpId: 'evil.example' }],
    ['another purpose', { clientData: { type: 'webauthn.create' } }],
    ['a device that did not verify its person', { flags: 0x01 }],
    ['a device whose person was not there', { flags: 0x04 }],
    ['the signature of another key', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
    ['the handle of another person', { userHandle: 'c29tZWJvZHk' }],
    ['no handle', { userHandle: null }],
    ['an empty handle', { userHandle: '' }],
    ['a counter that does not rise', { counter: 0 }],
  ])('refuses %s, and records it', async (_what, bend) => {
    const { token, device } = await withPasskey();
    expect((await signIn(device)).status).toBe(200);
    const before = await list(token);
    const answer = await signIn(device, bend);
    expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    expect(answer.headers.getSetCookie().join()).not.toContain('agw_refresh');
    expect(await list(token)).toEqual(before);
    await app.settled();
    expect(told).toContain('login.failed');
  });

  it('refuses a passkey that nobody added in the same words', async () => {
    const device = new Authenticator(ORIGIN);
    device.userHandle = 'c29tZWJvZHk';
    const answer = await signIn(device);
    expect([answer.status, answer.body]).toEqual([401, REFUSED]);
  });

  it('refuses every field that is missing, empty, of another type, too long or not base64url', async () => {
    const { device } = await withPasskey();
    const { options, cookie } = await begin('/auth/passkeys/login/options');
    const passkey = device.sign(options);
    for (const [what, body] of bent({ passkey }, ['passkey.response.userHandle'])) {
      const answer = await send('/auth/passkeys/login', body, { cookie });
      expect([what, answer.status]).toEqual([what, 400]);
    }
    expect((await send('/auth/passkeys/login', { passkey }, { cookie })).status).toBe(200);
  });

  it.each(['authenticatorData', 'signature'] as const)('refuses %s that is garbage', async (field) => {
    const { device } = await withPasskey();
    for (const garbage of ['AA', 'n'.repeat(5000)]) {
      const { options, cookie } = await begin('/auth/passkeys/login/options');
      const passkey = device.sign(options);
      passkey.response[field] = garbage;
      expect((await send('/auth/passkeys/login', { passkey }, { cookie })).body).toEqual(REFUSED);
    }
  });

  it.each(['bnVsbA', 'W10', 'e30', 'bm90IEpTT04', '__79'])('refuses client data %s', async (clientDataJSON) => {
    const { device } = await withPasskey();
    const { options, cookie } = await begin('/auth/passkeys/login/options');
    const passkey = device.sign(options);
    passkey.response.clientDataJSON = clientDataJSON;
    expect((await send('/auth/passkeys/login', { passkey }, { cookie })).status).toBe(400);
  });

  it('works for devices that do not count', async () => {
    const { device } = await withPasskey(false);
    for (let i = 0; i < 2; i++) expect((await signIn(device)).status).toBe(200);
  });

  it('counts refused answers as failed log-ins', async () => {
    const { device } = await withPasskey();
    const from = { address: '198.51.100.7' };
    for (let i = 0; i < 10; i++) {
      const { options, cookie } = await begin('/auth/passkeys/login/options');
      const passkey = device.sign(options, { flags: 1 });
      expect((await send('/auth/passkeys/login', { passkey }, { cookie, ...from })).status).toBe(401);
    }
    const { options, cookie } = await begin('/auth/passkeys/login/options');
    const late = await send('/auth/passkeys/login', { passkey: device.sign(options) }, { cookie, ...from });
    expect(late.status).toBe(429);
  });
});

describe('a challenge', () => {
  const answer = (passkey: PasskeyAssertion, cookie: string) => send('/auth/passkeys/login', { passkey }, { cookie });

  it('works once, also for twenty answers at once', async () => {
    const { device } = await withPasskey(false);
    const { options, cookie } = await begin('/auth/passkeys/login/options');
    const passkey = device.sign(options);
    const answers = await Promise.all(Array.from({ length: 20 }, () => answer(passkey, cookie)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status, body }) => status === 400 && body.error === EXPIRED.error)).toHaveLength(19);
  });

  it('works in its browser only, and for five minutes', async () => {
    const { device } = await withPasskey();
    const { options, cookie } = await begin('/auth/passkeys/login/options');
    const passkey = device.sign(options);
    expect((await answer(passkey, '')).body).toEqual(EXPIRED);
    expect((await answer(passkey, cookie.replace(/=.*/, '=other'))).body).toEqual(EXPIRED);
    const other = await begin('/auth/passkeys/login/options');
    expect((await answer(passkey, other.cookie)).body).toEqual(EXPIRED);
    await app.database.query(`UPDATE passkey_challenges SET expires_at = expires_at - interval '5 minutes'`);
    expect((await answer(passkey, cookie)).body).toEqual(EXPIRED);
  });

  it('that nobody asked for does not work', async () => {
    const { device } = await withPasskey();
    const { cookie } = await begin('/auth/passkeys/login/options');
    expect((await answer(device.sign({ challenge: 'bXkgb3duIGNoYWxsZW5nZQ' }), cookie)).body).toEqual(EXPIRED);
  });

  it('works for its purpose and its session only', async () => {
    const { email, token, device } = await withPasskey();
    const other = (await login(app, email)).accessToken;
    const confirming = await begin('/auth/confirm/options', token);
    expect(confirming.options).toMatchObject({ allowCredentials: [{ id: device.id }] });
    const passkey = device.sign(confirming.options);
    expect((await answer(passkey, confirming.cookie)).body).toEqual(EXPIRED);
    const { cookie } = confirming;
    expect((await send('/auth/confirm', { passkey }, { cookie, token: other })).body).toEqual(EXPIRED);
    expect((await send('/auth/confirm', { passkey }, { cookie, token })).status).toBe(200);
  });

  it('sets a cookie that scripts and other sites do not get', async () => {
    const { headers } = await call(app, 'POST /auth/passkeys/login/options', {
      headers: { 'X-Forwarded-Proto': 'https' },
    });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^agw_passkey_\w{16}=[\w-]{43}; Max-Age=300; Path=\/auth; .*HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
  });
});

describe('confirming with a passkey', () => {
  async function confirmWith(token: string, device: Authenticator, bend?: Bend) {
    const { options, cookie } = await begin('/auth/confirm/options', token);
    return send<Confirmation & { error?: string }>(
      '/auth/confirm',
      { passkey: device.sign(options, bend) },
      { cookie, token },
    );
  }

  it('confirms the session, also if the device does not name the owner of the passkey', async () => {
    const { email, device } = await withPasskey();
    const token = (await login(app, email)).accessToken;
    const { status, body } = await confirmWith(token, device, { userHandle: null });
    expect([status, body]).toEqual([200, { confirmedUntil: expect.any(String), password: true, passkey: true }]);
    await app.settled();
    expect(told).toContain('session.confirmed');
  });

  it.each<[string, Bend]>([
    ['a device that did not verify its person', { flags: 0x01 }],
    ['the handle of another person', { userHandle: 'c29tZWJvZHk' }],
  ])('refuses %s with 403, so that the session continues', async (_what, bend) => {
    const { email, device } = await withPasskey();
    const token = (await login(app, email)).accessToken;
    const { status, body } = await confirmWith(token, device, bend);
    expect([status, body.error]).toEqual([403, 'Passkey not accepted']);
    expect((await call<Confirmation>(app, 'GET /auth/confirm', { token })).body.confirmedUntil).toBeNull();
    await app.settled();
    expect(told).toContain('session.confirm_failed');
  });

  it('refuses the passkey of another person', async () => {
    const { device } = await withPasskey();
    const { token } = await newPerson();
    expect((await confirmWith(token, device)).status).toBe(403);
  });

  it('needs either password or passkey', async () => {
    const { token, device } = await withPasskey();
    const { options, cookie } = await begin('/auth/confirm/options', token);
    const both = { password: PASSWORD, passkey: device.sign(options) };
    for (const body of [{}, both]) {
      const answer = await send('/auth/confirm', body, { cookie, token });
      expect([answer.status, answer.body.error]).toEqual([400, 'Send either password or passkey']);
    }
  });

  it('is closed to personal access tokens', async () => {
    const { token } = await newPerson();
    const [{ id: workspaceId }] = (await call<Workspace[]>(app, 'GET /workspaces', { token })).body;
    const body = { name: 'ci', workspaceId, role: 'owner', expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
    const made = await call<CreatedAccessToken>(app, 'POST /auth/tokens', { token, body });
    for (const route of ['POST /auth/confirm/options', 'POST /auth/passkeys/options', 'GET /auth/passkeys']) {
      expect((await call(app, route, { token: made.body.token })).status).toBe(403);
    }
  });
});

describe('a passkey', () => {
  it('is renamed and removed by its owner only; after that it opens nothing', async () => {
    const { token, device, passkey } = await withPasskey();
    const stranger = await newPerson();
    await confirm(stranger.token);
    const path = `/auth/passkeys/${passkey.id}`;
    for (const route of [`PATCH ${path}`, `DELETE ${path}`]) {
      const body = route.startsWith('PATCH') ? { name: 'Mine' } : undefined;
      const refused = await call(app, route, { token: stranger.token, body });
      expect([refused.status, refused.body.error]).toEqual([404, 'Passkey not found']);
    }
    const renamed = await call<Passkey>(app, `PATCH ${path}`, { token, body: { name: 'Old phone' } });
    expect(renamed.body).toEqual({ ...passkey, name: 'Old phone' });
    await app.database.query('UPDATE sessions SET confirmed_at = NULL');
    const unconfirmed = await call(app, `DELETE ${path}`, { token });
    expect([unconfirmed.status, unconfirmed.body.error]).toEqual([403, 'Confirm first that it is you']);
    expect(await list(token)).toHaveLength(1);
    await confirm(token);
    expect((await call(app, `DELETE ${path}`, { token })).status).toBe(200);
    expect(await list(token)).toEqual([]);
    expect((await signIn(device)).body).toEqual(REFUSED);
    await app.settled();
    expect(told).toContain('passkey.removed');
  });

  it('stays where it is the only way to log in, also for two removals at once', async () => {
    const { email, token, passkey } = await withPasskey();
    const second = await add(token);
    await app.database.query('UPDATE users SET password_hash = NULL WHERE email = $1', [email]);
    const answers = await Promise.all(
      [passkey, second].map(({ id }) => call(app, `DELETE /auth/passkeys/${id}`, { token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await list(token)).toHaveLength(1);
  });
});

describe('a gateway with other settings', () => {
  it.each([[{}], [{ PUBLIC_URL: 'http://gateway.example.com' }], [{ PUBLIC_URL: 'https://203.0.113.5' }]])(
    'has passkeys off, and the answer says why: %j',
    async (settings) => {
      const other = await startApp({ DATABASE_URL: app.databaseUrl, ...settings });
      const { token } = await newPerson();
      await confirm(token);
      const off = { error: 'Passkeys need PUBLIC_URL: https, with a host name', statusCode: 404 };
      expect((await call<AuthMethods>(other, 'GET /auth/methods')).body.passkeys).toBe(false);
      expect((await call(other, 'POST /auth/passkeys/login/options')).body).toEqual(off);
      expect((await call(other, 'POST /auth/passkeys/options', { token })).body).toEqual(off);
      expect((await call(other, 'POST /auth/confirm/options', { token })).body).toEqual(off);
      await other.close();
    },
  );

  it('with PASSWORD_LOGIN=false lets passkeys confirm, but everybody logs in at the provider', async () => {
    const other = await startApp({
      DATABASE_URL: app.databaseUrl,
      PUBLIC_URL: ORIGIN,
      PASSWORD_LOGIN: 'false',
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_CLIENT_ID: 'x',
      OIDC_CLIENT_SECRET: 'y',
    });
    const { token } = await withPasskey();
    expect((await call<AuthMethods>(other, 'GET /auth/methods')).body.passkeys).toBe(false);
    expect((await call(other, 'POST /auth/passkeys/login/options')).body).toEqual({
      error: 'Logging in with a passkey is turned off',
      statusCode: 403,
    });
    expect((await call(other, 'POST /auth/confirm/options', { token })).status).toBe(200);
    await other.close();
  });
});

/** Copies of a body, each with one invalid field. */
function bent(body: object, optional: string[] = []): [string, object][] {
  const bodies: [string, object][] = [];
  const visit = (path: string[], value: unknown): void => {
    const name = path.join('.');
    const nested = typeof value === 'object' && value !== null && !Array.isArray(value);
    const values: unknown[] = nested ? [undefined, null, [], 'x', 7] : [7, {}, true, 'x'.repeat(70_000)];
    if (!nested && !optional.includes(name))
      values.push(undefined, null, '', [], ...(name === 'name' ? [] : ['a b', '+/=']));
    for (const instead of values)
      bodies.push([`${name} = ${JSON.stringify(instead)?.slice(0, 20)}`, replaced(body, path, instead)]);
    if (nested) for (const [key, inner] of Object.entries(value)) visit([...path, key], inner);
  };
  for (const [key, value] of Object.entries(body)) visit([key], value);
  return bodies;
}

function replaced(body: object, [key, ...rest]: string[], value: unknown): object {
  const inner = (body as Record<string, object>)[key];
  return { ...body, [key]: rest.length === 0 ? value : replaced(inner, rest, value) };
}
