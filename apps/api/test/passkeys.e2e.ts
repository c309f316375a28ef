import { generateKeyPairSync } from 'node:crypto';
import type { AuthMethods, Confirmation, PasskeyAssertion } from '#contracts';
import { call, login, readMeStatus } from './support/accounts.js';
import { Authenticator, type Bend } from './support/authenticator.js';
import { ORIGIN, PasskeyApp, REFUSED } from './support/passkey-app.js';

const EXPIRED = {
  error: 'This took too long, was used already, or began in another browser: try again',
  statusCode: 400,
};

const passkeys = new PasskeyApp();

it('GET /auth/methods says that people can log in with passkeys', async () => {
  expect((await call<AuthMethods>(passkeys.app, 'GET /auth/methods')).body).toEqual({
    password: true,
    oidc: null,
    passkeys: true,
  });
});

describe('adding a passkey', () => {
  it('needs a confirmed session, and asks the device for a discoverable passkey', async () => {
    const { email, token } = await passkeys.newPerson();
    const refused = await call(passkeys.app, 'POST /auth/passkeys/options', { token });
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'confirmation_required']);
    await passkeys.confirm(token);
    const { options } = await passkeys.begin('/auth/passkeys/options', token);
    expect(options).toMatchObject({
      rp: { id: 'gateway.example.com', name: 'Agent Gateway' },
      user: { id: expect.stringMatching(/^[\w-]{43}$/), name: email },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      excludeCredentials: [],
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  });

  it('works for several devices, which share the handle of the account; no device gets two passkeys', async () => {
    const { token } = await passkeys.newPerson();
    const [phone, key] = [new Authenticator(ORIGIN, false), new Authenticator(ORIGIN)];
    const first = await passkeys.add(token, phone, ' Phone ');
    expect(first).toEqual({ id: expect.any(Number), name: 'Phone', createdAt: expect.any(String), lastUsedAt: null });
    const { options } = await passkeys.begin('/auth/passkeys/options', token);
    expect(options).toMatchObject({ user: { id: phone.userHandle }, excludeCredentials: [{ id: phone.id }] });
    await passkeys.add(token, key, 'Key');
    expect(await passkeys.list(token)).toEqual([first, expect.objectContaining({ name: 'Key' })]);
    await passkeys.app.settled();
    expect(passkeys.told).toContain('passkey.added');
  });

  it('a passkey that an account has is refused, also to another account', async () => {
    const { device } = await passkeys.withPasskey();
    const { token } = await passkeys.newPerson();
    await passkeys.confirm(token);
    const { options, cookie } = await passkeys.begin('/auth/passkeys/options', token);
    const passkey = device.register(options);
    const answer = await passkeys.send('/auth/passkeys', { name: 'Phone', passkey }, { cookie, token });
    expect([answer.status, answer.body.error]).toEqual([409, 'This passkey was added already']);
  });

  it('makes its origin a known place of the person', async () => {
    const { email, device } = await passkeys.withPasskey();
    expect((await passkeys.signIn(device)).status).toBe(200);
    const places = await passkeys.app.database.query<{ network: string }[]>(
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
    const { token } = await passkeys.newPerson();
    await passkeys.confirm(token);
    const { options, cookie } = await passkeys.begin('/auth/passkeys/options', token);
    const passkey = new Authenticator(ORIGIN).register(options, bend);
    const answer = await passkeys.send('/auth/passkeys', { name: 'Phone', passkey }, { cookie, token });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: 'The passkey can’t be added: the answer of the device is not valid', statusCode: 400 },
    ]);
    expect(await passkeys.list(token)).toEqual([]);
  });

  it('refuses every field that is missing, empty, of another type, too long or not base64url', async () => {
    const { token } = await passkeys.newPerson();
    await passkeys.confirm(token);
    const { options, cookie } = await passkeys.begin('/auth/passkeys/options', token);
    const passkey = new Authenticator(ORIGIN).register(options);
    const bodies = bent({ name: 'Phone', passkey }, ['passkey.response.transports']);
    for (const [what, body] of bodies) {
      const answer = await passkeys.send('/auth/passkeys', body, { cookie, token });
      expect([what, answer.status]).toEqual([what, 400]);
      expect(answer.body.error).toMatch(/^(name|passkey)/);
    }
    expect(await passkeys.list(token)).toEqual([]);
    // None of these requests has used up the challenge.
    expect((await passkeys.send('/auth/passkeys', { name: 'Phone', passkey }, { cookie, token })).status).toBe(201);
  });

  it('refuses attestations that are garbage', async () => {
    const { token } = await passkeys.newPerson();
    await passkeys.confirm(token);
    for (const garbage of ['AA', '_____w', 'o2NmbXRkbm9uZQ', 'n'.repeat(5000)]) {
      const { options, cookie } = await passkeys.begin('/auth/passkeys/options', token);
      const passkey = new Authenticator(ORIGIN).register(options);
      passkey.response.attestationObject = garbage;
      expect((await passkeys.send('/auth/passkeys', { name: 'Phone', passkey }, { cookie, token })).status).toBe(400);
    }
    expect(await passkeys.list(token)).toEqual([]);
  });

  it('needs a recent log-in from a person who has no password and no passkey', async () => {
    const { email, token } = await passkeys.newPerson();
    await passkeys.app.database.query('UPDATE users SET password_hash = NULL WHERE email = $1', [email]);
    await passkeys.begin('/auth/passkeys/options', token);
    await passkeys.app.database.query(`UPDATE sessions SET created_at = created_at - interval '6 minutes'`);
    const late = await call(passkeys.app, 'POST /auth/passkeys/options', { token });
    expect([late.status, late.headers.get('x-error-code')]).toEqual([403, 'confirmation_required']);
  });
});

describe('signing in', () => {
  it('needs no typing, opens a session, and sets the cookie of a log-in', async () => {
    const { email, token, device } = await passkeys.withPasskey();
    const { options, cookie } = await passkeys.begin('/auth/passkeys/login/options');
    expect(options).toMatchObject({ rpId: 'gateway.example.com', allowCredentials: [], userVerification: 'required' });
    const answer = await passkeys.send('/auth/passkeys/login', { passkey: device.sign(options) }, { cookie });
    expect([answer.status, answer.body.user.email]).toEqual([200, email]);
    expect(answer.headers.getSetCookie().join()).toContain(`agw_refresh=${answer.body.refreshToken}`);
    expect(await readMeStatus(passkeys.app, answer.body.accessToken)).toBe(200);
    const [{ lastUsedAt }] = await passkeys.list(token);
    expect(lastUsedAt).not.toBeNull();
    await passkeys.app.settled();
    expect(passkeys.told.filter((action) => action === 'login')).toHaveLength(2);
    // A log-in with a passkey does not count as a confirmation.
    const state = await call<Confirmation>(passkeys.app, 'GET /auth/confirm', { token: answer.body.accessToken });
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
    const { token, device } = await passkeys.withPasskey();
    expect((await passkeys.signIn(device)).status).toBe(200);
    const before = await passkeys.list(token);
    const answer = await passkeys.signIn(device, bend);
    expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    expect(answer.headers.getSetCookie().join()).not.toContain('agw_refresh=');
    expect(await passkeys.list(token)).toEqual(before);
    await passkeys.app.settled();
    expect(passkeys.told).toContain('login.failed');
  });

  it('refuses an unknown passkey with the same message as any other refusal', async () => {
    const device = new Authenticator(ORIGIN);
    device.userHandle = 'c29tZWJvZHk';
    const answer = await passkeys.signIn(device);
    expect([answer.status, answer.body]).toEqual([401, REFUSED]);
  });

  it('refuses every field of an answer that is missing, empty, of another type, too long or not base64url', async () => {
    const { device } = await passkeys.withPasskey();
    const { options, cookie } = await passkeys.begin('/auth/passkeys/login/options');
    const passkey = device.sign(options);
    for (const [what, body] of bent({ passkey }, ['passkey.response.userHandle'])) {
      const answer = await passkeys.send('/auth/passkeys/login', body, { cookie });
      expect([what, answer.status]).toEqual([what, 400]);
    }
    expect((await passkeys.send('/auth/passkeys/login', { passkey }, { cookie })).status).toBe(200);
  });

  it.each(['authenticatorData', 'signature'] as const)('refuses %s that is garbage', async (field) => {
    const { device } = await passkeys.withPasskey();
    for (const garbage of ['AA', 'n'.repeat(5000)]) {
      const { options, cookie } = await passkeys.begin('/auth/passkeys/login/options');
      const passkey = device.sign(options);
      passkey.response[field] = garbage;
      expect((await passkeys.send('/auth/passkeys/login', { passkey }, { cookie })).body).toEqual(REFUSED);
    }
  });

  it.each(['bnVsbA', 'W10', 'e30', 'bm90IEpTT04', '__79'])('refuses client data %s', async (clientDataJSON) => {
    const { device } = await passkeys.withPasskey();
    const { options, cookie } = await passkeys.begin('/auth/passkeys/login/options');
    const passkey = device.sign(options);
    passkey.response.clientDataJSON = clientDataJSON;
    expect((await passkeys.send('/auth/passkeys/login', { passkey }, { cookie })).status).toBe(400);
  });

  it('works for devices without a signature counter', async () => {
    const { device } = await passkeys.withPasskey(false);
    for (let i = 0; i < 2; i++) expect((await passkeys.signIn(device)).status).toBe(200);
  });

  it('counts refused answers as failed log-ins', async () => {
    const { device } = await passkeys.withPasskey();
    const from = { address: '198.51.100.7' };
    for (let i = 0; i < 10; i++) {
      const { options, cookie } = await passkeys.begin('/auth/passkeys/login/options');
      const passkey = device.sign(options, { flags: 1 });
      expect((await passkeys.send('/auth/passkeys/login', { passkey }, { cookie, ...from })).status).toBe(401);
    }
    const { options, cookie } = await passkeys.begin('/auth/passkeys/login/options');
    const late = await passkeys.send('/auth/passkeys/login', { passkey: device.sign(options) }, { cookie, ...from });
    expect(late.status).toBe(429);
  });
});

describe('a challenge', () => {
  const answer = (passkey: PasskeyAssertion, cookie: string) =>
    passkeys.send('/auth/passkeys/login', { passkey }, { cookie });

  it('works once, also for twenty answers at once', async () => {
    const { device } = await passkeys.withPasskey(false);
    const { options, cookie } = await passkeys.begin('/auth/passkeys/login/options');
    const passkey = device.sign(options);
    const answers = await Promise.all(Array.from({ length: 20 }, () => answer(passkey, cookie)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status, body }) => status === 400 && body.error === EXPIRED.error)).toHaveLength(19);
  });

  it('works in its browser only, and for five minutes', async () => {
    const { device } = await passkeys.withPasskey();
    const { options, cookie } = await passkeys.begin('/auth/passkeys/login/options');
    const passkey = device.sign(options);
    expect((await answer(passkey, '')).body).toEqual(EXPIRED);
    expect((await answer(passkey, cookie.replace(/=.*/, '=other'))).body).toEqual(EXPIRED);
    const other = await passkeys.begin('/auth/passkeys/login/options');
    expect((await answer(passkey, other.cookie)).body).toEqual(EXPIRED);
    await passkeys.app.database.query(`UPDATE passkey_challenges SET expires_at = expires_at - interval '5 minutes'`);
    expect((await answer(passkey, cookie)).body).toEqual(EXPIRED);
  });

  it('that nobody asked for does not work', async () => {
    const { device } = await passkeys.withPasskey();
    const { cookie } = await passkeys.begin('/auth/passkeys/login/options');
    expect((await answer(device.sign({ challenge: 'bXkgb3duIGNoYWxsZW5nZQ' }), cookie)).body).toEqual(EXPIRED);
  });

  it('works for its purpose and its session only', async () => {
    const { email, token, device } = await passkeys.withPasskey();
    const other = (await login(passkeys.app, email)).accessToken;
    const confirming = await passkeys.begin('/auth/confirm/options', token);
    expect(confirming.options).toMatchObject({ allowCredentials: [{ id: device.id }] });
    const passkey = device.sign(confirming.options);
    expect((await answer(passkey, confirming.cookie)).body).toEqual(EXPIRED);
    const { cookie } = confirming;
    expect((await passkeys.send('/auth/confirm', { passkey }, { cookie, token: other })).body).toEqual(EXPIRED);
    expect((await passkeys.send('/auth/confirm', { passkey }, { cookie, token })).status).toBe(200);
  });

  it('sets a cookie that scripts and other sites do not get', async () => {
    const { headers } = await call(passkeys.app, 'POST /auth/passkeys/login/options', {
      headers: { 'X-Forwarded-Proto': 'https' },
    });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^agw_passkey_\w{16}=[\w-]{43}; Max-Age=300; Path=\/auth; .*HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
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
