import type { AuthMethods, Identity, LinkIdentityResponse, TokenPair, UserResponse } from '#contracts';
import { call, login, PASSWORD, register } from './support/accounts.js';
import {
  Browser,
  readLocation,
  somebody,
  startOpenIdProvider,
  type OpenIdProviderProcess,
} from './support/openid-provider.js';
import { listenToAccess } from './support/access-events.js';
import { startApp, type TestApp } from './support/start-app.js';

const PUBLIC_URL = 'https://gateway.example.com';

let provider: OpenIdProviderProcess;
let app: TestApp;
const settings = () => ({
  PUBLIC_URL,
  ALLOW_REGISTRATION: 'true',
  ...provider.settings,
});
beforeAll(async () => {
  provider = await startOpenIdProvider(`${PUBLIC_URL}/auth/oidc/callback`);
  app = await startApp(settings());
  await register(app, 'owner@example.com');
});
beforeEach(() => provider.set({}));
afterAll(async () => {
  await app.close();
  await provider.close();
});

/** The person goes to the provider. @returns the URL at the gateway that the provider sends the browser to */
async function toProvider(browser: Browser, start = '/auth/oidc/start', at: TestApp = app): Promise<string> {
  const back = await browser.follow(at.url + start, ({ origin }) => origin === PUBLIC_URL);
  return at.url + back.pathname + back.search;
}

/** A whole sign-in. @returns where the gateway sends the browser at the end */
async function signIn(browser = new Browser(), start?: string, at?: TestApp): Promise<string> {
  return readLocation(await browser.get(await toProvider(browser, start, at)));
}

/** The e-mail of the account that the browser's refresh cookie belongs to. */
async function who(browser: Browser, at: TestApp = app): Promise<string | null> {
  const cookie = browser.cookies(at.url);
  const { status, body } = await call<TokenPair>(at, 'POST /auth/refresh', { body: {}, headers: { cookie } });
  if (status !== 200) return null;
  const me = await call<UserResponse>(at, 'GET /auth/me', { token: body.accessToken });
  return me.body.user.email;
}

it('lists the ways in which people can log in', async () => {
  const { body } = await call<AuthMethods>(app, 'GET /auth/methods');
  expect(body).toEqual({ password: true, oidc: { name: 'Example Corp' }, passkeys: true });
});

it('signs a person in, creates the account once, and returns to the page', async () => {
  const person = somebody();
  await provider.set({ person });
  const browser = new Browser();
  expect(await signIn(browser, '/auth/oidc/start?returnTo=/dashboard/services/3')).toBe('/dashboard/services/3');
  expect(await who(browser)).toBe(person.email);
  const places: unknown[] = await app.database.query(
    'SELECT FROM known_places p JOIN users u ON u.id = p.user_id WHERE u.email = $1',
    [person.email],
  );
  expect(places).toHaveLength(1);
  // The e-mail at the provider may change. The account stays the same one.
  await provider.set({ person: { ...person, email: 'renamed@example.com' } });
  const again = new Browser();
  expect(await signIn(again)).toBe('/dashboard/');
  expect(await who(again)).toBe(person.email);
});

it('stores only the visible characters of a name, in one line', async () => {
  const person = somebody({ name: ' Mal\u0000lory\u202Egnp.\r\n\u200B Bcc: ada@example.com\uD800 ' });
  await provider.set({ person });
  expect(await signIn()).toBe('/dashboard/');
  const rows = await app.database.query('SELECT name FROM users WHERE email = $1', [person.email]);
  expect(rows).toEqual([{ name: 'Mal lorygnp. Bcc: ada@example.com' }]);
});

it('never returns to another site', async () => {
  await provider.set({ person: somebody() });
  const browser = new Browser();
  expect(await signIn(browser, `/auth/oidc/start?returnTo=${encodeURIComponent('//evil.example/dashboard/')}`)).toBe(
    '/dashboard/',
  );
});

it('sets its cookie for the sign-in only', async () => {
  const response = await new Browser().get(`${app.url}/auth/oidc/start`);
  expect(response.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^agw_oidc_\w{16}=[\w-]{43}; Max-Age=600; Path=\/auth\/oidc; .*HttpOnly; Secure; SameSite=Lax$/,
    ),
  ]);
});

it('twenty sign-ins at once of a new person make one account', async () => {
  const person = somebody();
  await provider.set({ person });
  const browsers = Array.from({ length: 20 }, () => new Browser());
  const backs = await Promise.all(browsers.map((browser) => toProvider(browser)));
  const answers = await Promise.all(backs.map((back, index) => browsers[index].get(back)));
  expect(answers.map(readLocation)).toEqual(backs.map(() => '/dashboard/'));
  const rows = await app.database.query('SELECT 1 FROM users WHERE email = $1', [person.email]);
  expect(rows).toHaveLength(1);
});

describe('refuses', () => {
  const fault = (code: string): string => `/dashboard/login?error=${code}`;

  it('an answer that is replayed, without asking the provider again', async () => {
    await provider.set({ person: somebody() });
    const browser = new Browser();
    const back = await toProvider(browser);
    expect(readLocation(await browser.get(back))).toBe('/dashboard/');
    const before = await provider.requests();
    expect(readLocation(await browser.get(back))).toBe(fault('sign_in_expired'));
    expect(await provider.requests()).toBe(before);
  });

  it('an answer in another browser, with another state, without state, or too late', async () => {
    await provider.set({ person: somebody() });
    const browser = new Browser();
    const back = await toProvider(browser);
    const before = await provider.requests();
    expect(readLocation(await new Browser().get(back))).toBe(fault('sign_in_expired'));
    const bent = new URL(back);
    bent.searchParams.set('state', 'another');
    expect(readLocation(await browser.get(bent.href))).toBe(fault('sign_in_expired'));
    expect(readLocation(await browser.get(`${app.url}/auth/oidc/callback`))).toBe(fault('sign_in_expired'));
    await app.database.query(`UPDATE oidc_sign_ins SET expires_at = expires_at - interval '11 minutes'`);
    expect(readLocation(await browser.get(back))).toBe(fault('sign_in_expired'));
    expect(await provider.requests()).toBe(before);
  });

  it('a code of another sign-in', async () => {
    await provider.set({ person: somebody() });
    const [mine, theirs] = [new Browser(), new Browser()];
    const back = new URL(await toProvider(mine));
    const code = new URL(await toProvider(theirs)).searchParams.get('code')!;
    back.searchParams.set('code', code);
    expect(readLocation(await mine.get(back.href))).toBe(fault('sign_in_failed'));
    expect(await who(mine)).toBeNull();
  });

  it.each([
    ['another audience', { bend: { aud: 'other-client' } }],
    ['another nonce', { bend: { nonce: 'another' } }],
    ['no nonce', { bend: { nonce: null } }],
    ['an ID token that has expired', { bend: { exp: 1_000_000_000 } }],
    ['another subject than its user info', { bend: { sub: 'somebody-else' } }],
    ['the key of somebody else', { sign: 'foreign' as const }],
    ['no signature', { sign: 'none' as const }],
  ])('%s', async (_what, state) => {
    await provider.set({ person: somebody(), ...state });
    const browser = new Browser();
    expect(await signIn(browser)).toBe(fault('sign_in_failed'));
    expect(await who(browser)).toBeNull();
  });

  it.each([
    ['an e-mail that the provider has not verified', { email_verified: false }, 'email_unverified'],
    ['an e-mail without a word about it', { email_verified: undefined }, 'email_unverified'],
    ['a person without an e-mail', { email: undefined }, 'email_unverified'],
    ['an e-mail that is malformed', { email: 'ada' }, 'email_unverified'],
    ['an e-mail that a database may read as another one', { email: '\u212Aim@example.com' }, 'email_unverified'],
    ['an e-mail that is not text', { email: ['ada@example.com'] }, 'email_unverified'],
    ['the e-mail of an account with a password', { email: 'OWNER@example.com' }, 'email_taken'],
  ])('%s', async (_what, fields, code) => {
    await provider.set({ person: somebody(fields) });
    expect(await signIn()).toBe(fault(code));
  });

  it('an e-mail of the ID token if the user info verifies only another e-mail', async () => {
    await provider.set({ person: somebody(), bend: { email: 'somebody-else@example.com' } });
    const browser = new Browser();
    expect(await signIn(browser)).toBe(fault('email_unverified'));
    expect(await who(browser)).toBeNull();
  });

  it('the e-mail of another person at the provider', async () => {
    const person = somebody();
    await provider.set({ person });
    expect(await signIn()).toBe('/dashboard/');
    await provider.set({ person: somebody({ email: person.email }) });
    expect(await signIn()).toBe(fault('email_taken'));
  });

  it('a redirect URI that the provider does not know, and says so', async () => {
    await provider.set({ person: somebody() });
    const browser = new Browser();
    const back = new URL(await toProvider(browser));
    back.searchParams.delete('code');
    back.searchParams.set('error', 'invalid_request');
    back.searchParams.set('error_description', 'The redirect_uri is not registered for this client');
    expect(readLocation(await browser.get(back.href))).toBe(fault('redirect_uri_refused'));
  });

  it('a person who pressed Cancel, and says so', async () => {
    await provider.set({ deny: true });
    expect(await signIn()).toBe(fault('cancelled'));
  });

  it.each([
    ['is down', 'error' as const, 'provider_unavailable'],
    ['answers HTML', 'html' as const, 'sign_in_failed'],
  ])('while the token endpoint %s; people with a password log in', async (_what, answer, code) => {
    await provider.set({ answer });
    expect(await signIn()).toBe(fault(code));
    await login(app, 'owner@example.com');
  });
});

describe('linking an account', () => {
  let people = 0;
  async function account(): Promise<{ email: string; token: string }> {
    const email = `linked-${++people}@example.com`;
    await register(app, email);
    return { email, token: (await login(app, email)).accessToken };
  }

  const confirm = (token: string) => call(app, 'POST /auth/confirm', { token, body: { password: PASSWORD } });

  async function begin(token: string) {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`${app.url}/auth/oidc/link`, { method: 'POST', headers });
    return { answer, body: (await answer.json()) as LinkIdentityResponse & { error?: string } };
  }

  async function link(token: string): Promise<string> {
    await confirm(token);
    const { answer, body } = await begin(token);
    const browser = new Browser();
    browser.keep(app.url, answer);
    const back = await browser.follow(body.url, ({ origin }) => origin === PUBLIC_URL);
    return readLocation(await browser.get(app.url + back.pathname + back.search));
  }

  it('needs a confirmation; then the person signs in with the provider', async () => {
    const { email, token } = await account();
    const { answer, body: refusal } = await begin(token);
    expect([answer.headers.get('x-error-code'), refusal.error]).toEqual([
      'confirmation_required',
      'Confirm first that it is you',
    ]);
    const person = somebody();
    await provider.set({ person });
    expect(await link(token)).toBe('/dashboard/settings/security?linked=true');
    const browser = new Browser();
    expect(await signIn(browser)).toBe('/dashboard/');
    expect(await who(browser)).toBe(email);
    const { body } = await call<Identity[]>(app, 'GET /auth/oidc/identities', { token });
    expect(body).toEqual([
      {
        id: expect.any(Number),
        issuer: provider.url,
        email: person.email,
        linkedAt: expect.any(String),
        lastUsedAt: expect.any(String),
      },
    ]);
    expect((await call(app, `DELETE /auth/oidc/identities/${body[0].id}`, { token })).status).toBe(200);
    // The person is a stranger again.
    const later = new Browser();
    await signIn(later);
    expect(await who(later)).toBe(person.email);
  });

  it('refuses a sign-in that another account has', async () => {
    await provider.set({ person: somebody() });
    expect(await link((await account()).token)).toBe('/dashboard/settings/security?linked=true');
    expect(await link((await account()).token)).toBe('/dashboard/settings/security?error=identity_taken');
  });

  it('refuses the answer after the session that started the link has ended', async () => {
    const { token } = await account();
    await provider.set({ person: somebody() });
    await confirm(token);
    const { answer, body } = await begin(token);
    const browser = new Browser();
    browser.keep(app.url, answer);
    const back = await browser.follow(body.url, ({ origin }) => origin === PUBLIC_URL);
    await app.database.query('UPDATE sessions SET revoked_at = now()');
    expect(readLocation(await browser.get(app.url + back.pathname + back.search))).toBe(
      '/dashboard/settings/security?error=sign_in_expired',
    );
  });

  it('is not removed if it is the only way to log in, even by two calls at once', async () => {
    const person = somebody();
    await provider.set({ person });
    const browser = new Browser();
    await signIn(browser);
    const cookie = browser.cookies(app.url);
    const { body: tokens } = await call<TokenPair>(app, 'POST /auth/refresh', { body: {}, headers: { cookie } });
    const { body } = await call<Identity[]>(app, 'GET /auth/oidc/identities', { token: tokens.accessToken });
    const remove = () => call(app, `DELETE /auth/oidc/identities/${body[0].id}`, { token: tokens.accessToken });
    const answers = await Promise.all([remove(), remove()]);
    expect(answers.map((answer) => [answer.status, answer.body.error])).toEqual([
      [409, 'This is the only way to log in to this account'],
      [409, 'This is the only way to log in to this account'],
    ]);
  });

  it('is not shown to other people, and they cannot remove it', async () => {
    await provider.set({ person: somebody() });
    const [mine, theirs] = [await account(), await account()];
    await link(mine.token);
    const { body } = await call<Identity[]>(app, 'GET /auth/oidc/identities', { token: mine.token });
    expect((await call(app, 'GET /auth/oidc/identities', { token: theirs.token })).body).toEqual([]);
    expect((await call(app, `DELETE /auth/oidc/identities/${body[0].id}`, { token: theirs.token })).status).toBe(404);
  });
});

it('records sign-ins and links', async () => {
  const seen: string[] = [];
  listenToAccess(app, ({ action }) => void seen.push(action));
  await provider.set({ person: somebody() });
  await signIn();
  await app.settled();
  expect(seen).toEqual(['account.created', 'login']);
});
