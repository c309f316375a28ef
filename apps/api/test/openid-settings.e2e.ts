/** Signing in with an OpenID provider, under settings of the gateway that matter to it. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { AuthMethods } from '#contracts';
import { call, login, PASSWORD, register } from './support/accounts.js';
import { startChildGateway, type ChildGateway } from './support/child-gateway.js';
import { CLIENT_CERTIFICATE } from './support/client-certificates.js';
import { eventually } from './support/eventually.js';
import {
  Browser,
  readLocation,
  somebody,
  startOpenIdProvider,
  type OpenIdProviderProcess,
} from './support/openid-provider.js';
import { startApp, type TestApp } from './support/start-app.js';

const PUBLIC_URL = 'https://gateway.example.com';
const CALLBACK = `${PUBLIC_URL}/auth/oidc/callback`;

let provider: OpenIdProviderProcess;
let app: TestApp;
const settings = () => ({ PUBLIC_URL, ALLOW_REGISTRATION: 'true', ...provider.settings });
beforeAll(async () => {
  provider = await startOpenIdProvider(CALLBACK);
  app = await startApp(settings());
  await register(app, 'owner@example.com');
});
beforeEach(() => provider.set({}));
afterAll(async () => {
  await app.close();
  await provider.close();
});

/** The person goes to the provider. @returns the URL that the provider sends the browser to, at this gateway */
async function toProvider(browser: Browser, at: { url: string }): Promise<URL> {
  const back = await browser.follow(`${at.url}/auth/oidc/start`, ({ origin }) => origin === PUBLIC_URL);
  return new URL(back.pathname + back.search, at.url);
}

/** A whole sign-in. @returns where the gateway sends the browser at the end */
async function signIn(at: { url: string }): Promise<string> {
  const browser = new Browser();
  return readLocation(await browser.get((await toProvider(browser, at)).href));
}

describe('the gateway with other settings', () => {
  const withApp = async (overrides: Record<string, string>, use: (other: TestApp) => Promise<void>): Promise<void> => {
    const other = await startApp({ ...settings(), ...overrides });
    try {
      await use(other);
    } finally {
      await other.close();
    }
  };

  it('a provider that is down at the start is asked again', async () => {
    await withApp({ OIDC_ISSUER: 'http://127.0.0.1:9' }, async (other) => {
      const start = await new Browser().get(`${other.url}/auth/oidc/start`);
      expect(readLocation(start)).toBe('/dashboard/login?error=provider_unavailable');
    });
  });

  it('names a certificate of the provider that Node does not trust', async () => {
    const { client_cert: cert, client_key: key } = CLIENT_CERTIFICATE;
    const server = createServer({ cert, key });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await withApp({ OIDC_ISSUER: `https://127.0.0.1:${port}` }, async (other) => {
      const start = await new Browser().get(`${other.url}/auth/oidc/start`);
      expect(readLocation(start)).toBe('/dashboard/login?error=provider_certificate');
    });
    server.close();
  });

  it('strangers get no account while registration is closed, and no first account', async () => {
    await withApp({ ALLOW_REGISTRATION: 'false' }, async (other) => {
      await provider.set({ person: somebody() });
      expect(await signIn(other)).toBe('/dashboard/login?error=no_account');
      await register(other, 'first@example.com');
      expect(await signIn(other)).toBe('/dashboard/login?error=no_account');
    });
  });

  it('only people of the allowed domains sign in', async () => {
    await withApp({ OIDC_ALLOWED_DOMAINS: 'example.com,example.org' }, async (other) => {
      await register(other, 'first@example.com');
      await provider.set({ person: somebody({ email: 'ada@evil-example.com' }) });
      expect(await signIn(other)).toBe('/dashboard/login?error=domain_not_allowed');
      await provider.set({ person: somebody({ email: 'ada@Example.org' }) });
      expect(await signIn(other)).toBe('/dashboard/');
    });
  });

  it('nobody logs in with a password while PASSWORD_LOGIN is false', async () => {
    await withApp({ PASSWORD_LOGIN: 'false', DATABASE_URL: app.databaseUrl }, async (other) => {
      const body = { email: 'owner@example.com', password: PASSWORD };
      const expected = { error: 'Logging in with a password is turned off', statusCode: 403 };
      expect((await call(other, 'POST /auth/login', { body })).body).toEqual(expected);
      expect((await call(other, 'POST /auth/register', { body })).body).toEqual(expected);
      await provider.set({ person: somebody() });
      expect(await signIn(other)).toBe('/dashboard/');
    });
  });

  it('is off without an issuer', async () => {
    const other = await startApp({ DATABASE_URL: app.databaseUrl });
    try {
      expect((await call<AuthMethods>(other, 'GET /auth/methods')).body.oidc).toBeNull();
      expect((await call(other, 'GET /auth/oidc/start')).status).toBe(404);
      expect((await call(other, 'GET /auth/oidc/callback')).status).toBe(404);
    } finally {
      await other.close();
    }
  });
});

describe('a sign-in that begins at another host than PUBLIC_URL', () => {
  let behind: TestApp;
  beforeAll(async () => {
    behind = await startApp({ ...settings(), DATABASE_URL: app.databaseUrl, TRUST_PROXY: '1' });
  });
  afterAll(() => behind.close());
  const start = (host: string, query = '') =>
    fetch(`${behind.url}/auth/oidc/start${query}`, { headers: { 'X-Forwarded-Host': host }, redirect: 'manual' });

  it('goes on at PUBLIC_URL, once', async () => {
    const other = await start('gateway.internal:8080', '?returnTo=/dashboard/services');
    const here = `${PUBLIC_URL}/auth/oidc/start?returnTo=%2Fdashboard%2Fservices&moved=true`;
    expect([other.status, readLocation(other), other.headers.get('set-cookie')]).toEqual([302, here, null]);
    const again = await start('gateway.internal', '?returnTo=/dashboard/services&moved=true');
    expect(new URL(readLocation(again)).searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}/auth/oidc/callback`);
  });

  it.each(['gateway.example.com', 'Gateway.Example.com:443', '127.0.0.1:3000'])(
    '%s goes to the provider',
    async (host) => {
      const { searchParams } = new URL(readLocation(await start(host)));
      expect(searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}/auth/oidc/callback`);
    },
  );

  it('a person who links from there is told where to go', async () => {
    const { accessToken: token } = await login(behind, 'owner@example.com');
    const link = (origin: string) => call(behind, 'POST /auth/oidc/link', { token, headers: { Origin: origin } });
    expect((await link('http://10.0.0.5:3000')).body).toEqual({
      error: `Open the dashboard at ${PUBLIC_URL} first: the provider sends the browser back there`,
      statusCode: 400,
    });
    expect((await link('https://Gateway.example.com')).status).not.toBe(400);
  });
});

/** The same server has another name under `localhost`. */
const otherName = (): string => `http://localhost:${new URL(provider.url).port}`;

describe('another issuer than the one of the settings', () => {
  const EVIL = 'https://evil.example';
  const FAULT = '/dashboard/login?error=issuer_mismatch';
  const running: ChildGateway[] = [];
  const start = async (overrides: Record<string, string> = {}): Promise<ChildGateway> => {
    const gateway = await startChildGateway({ ...settings(), ...overrides, DATABASE_URL: app.databaseUrl });
    running.push(gateway);
    return gateway;
  };
  afterEach(async () => {
    for (const gateway of running.splice(0)) await gateway.stop();
  });
  /** Why the gateway says that a sign-in failed. */
  const reasonIn = (gateway: ChildGateway): Promise<string> =>
    eventually(() => {
      const line = gateway
        .output()
        .split('\n')
        .find((each) => each.includes('sign-in with the OpenID provider failed'));
      return line && (JSON.parse(line) as { err: { message: string } }).err.message;
    });

  it('of a provider is named, and the log has both', async () => {
    const gateway = await start({ OIDC_ISSUER: otherName() });
    expect(readLocation(await new Browser().get(`${gateway.url}/auth/oidc/start`))).toBe(FAULT);
    expect(await reasonIn(gateway)).toContain(`: issuer is "${provider.url}", expected "${otherName()}/"`);
  });

  it('of an ID token is named, and the log has both', async () => {
    await provider.set({ person: somebody(), bend: { iss: EVIL } });
    const gateway = await start();
    expect(await signIn(gateway)).toBe(FAULT);
    expect(await reasonIn(gateway)).toContain(`: iss is "${EVIL}", expected "${provider.url}"`);
  });

  it('of the answer that the browser brings back is named, and the log has both', async () => {
    await provider.set({ person: somebody() });
    const before = await provider.requests();
    const gateway = await start();
    const browser = new Browser();
    const back = await toProvider(browser, gateway);
    back.searchParams.set('iss', EVIL);
    expect(readLocation(await browser.get(back.href))).toBe(FAULT);
    expect(await reasonIn(gateway)).toContain(`: iss is "${EVIL}", expected "${provider.url}"`);
    expect(await provider.requests()).toBe(before);
  });
});

it('a PUBLIC_URL in another spelling is one redirect URI for both requests to the provider', async () => {
  await provider.set({ person: somebody() });
  const other = await startApp({
    ...settings(),
    PUBLIC_URL: 'HTTPS://Gateway.Example.com:443/',
    DATABASE_URL: app.databaseUrl,
  });
  try {
    const asked = new URL(readLocation(await new Browser().get(`${other.url}/auth/oidc/start`)));
    expect(await signIn(other)).toBe('/dashboard/');
    const redirects = [asked.searchParams, await provider.lastForm()].map((form) => form.get('redirect_uri'));
    expect(redirects).toEqual([CALLBACK, CALLBACK]);
  } finally {
    await other.close();
  }
});
