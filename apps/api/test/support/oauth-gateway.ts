import type { Service } from '#contracts';
import { CredentialVault } from '../../src/credentials/credential-vault.js';
import type { EgressTimeouts } from '../../src/platform/config.js';
import { ServiceRegistry } from '../../src/services/service-registry.js';
import { startGateway, type Gateway } from './gateway.js';
import { startOAuthProvider, type OAuthProviderProcess } from './oauth-provider.js';

export const PUBLIC_URL = 'https://gateway.example.com';
export const CLIENT_SECRET = 'planted-client-secret';

/** A sign-in that has started. */
export interface Begun {
  url: string;
  cookie: string;
}

/** A gateway with an OAuth 2 provider. Each test starts with a provider that works. */
export class OAuthGateway {
  gateway!: Gateway;
  provider!: OAuthProviderProcess;

  /** @param hosts that requests may reach too */
  constructor(hosts: () => string = () => '') {
    beforeAll(async () => {
      this.provider = await startOAuthProvider(`${PUBLIC_URL}/oauth/callback`);
      this.gateway = await startGateway({
        PUBLIC_URL,
        PRIVATE_TARGET_ALLOWLIST: `${this.provider.hostAndPort},${hosts()}`,
      });
    });
    beforeEach(async () => {
      this.gateway.model.answer({ score: 0, explanation: 'reads' });
      this.gateway.upstream.answer((call, response) => response.end(call.method));
      await this.gateway.logInAgain();
      await this.provider.mode('ok');
    });
    afterAll(async () => {
      await this.gateway?.close();
      await this.provider?.close();
    });
  }

  /** Another instance, with the time of the first one. */
  async second(timeouts: Partial<EgressTimeouts> = {}): Promise<Gateway> {
    const { gateway, provider } = this;
    const PRIVATE_TARGET_ALLOWLIST = `${gateway.upstream.hostAndPort},${provider.hostAndPort}`;
    const second = await gateway.secondInstance({ PUBLIC_URL, PRIVATE_TARGET_ALLOWLIST }, timeouts);
    second.app.clock.advance({ ms: gateway.app.clock.nowMs() - second.app.clock.nowMs() });
    return second;
  }

  settings(fields: object = {}) {
    return {
      grant: 'authorization_code',
      authorizationUrl: `${this.provider.url}/auth`,
      tokenUrl: `${this.provider.url}/token`,
      clientId: 'gateway',
      scopes: ['openid', 'offline_access', 'read'],
      tokenAuth: 'basic',
      extraParams: { prompt: 'consent' },
      ...fields,
    };
  }

  /** The service of the gateway's agent. */
  async use(
    oauth: object = {},
    credentials: Record<string, string> = { client_secret: CLIENT_SECRET },
  ): Promise<Service> {
    const { gateway } = this;
    const service = await gateway.createService({ authType: 'oauth2', oauth: this.settings(oauth), credentials });
    await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [service.id] });
    return service;
  }

  async begin(id: number): Promise<Begun> {
    const response = await fetch(`${this.gateway.url}/services/${id}/oauth/connect`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.gateway.token}` },
    });
    const { url } = (await response.json()) as { url: string };
    return { url, cookie: response.headers.getSetCookie()[0] ?? '' };
  }

  /** The request of the browser that comes back from the provider. */
  comeBack(to: URL, cookie: string): Promise<Response> {
    const headers = { cookie: cookie.split(';')[0] };
    return fetch(`${this.gateway.url}${to.pathname}${to.search}`, { redirect: 'manual', headers });
  }

  async connected(oauth: object = {}): Promise<Service> {
    const { id } = await this.use(oauth);
    const { url, cookie } = await this.begin(id);
    const answer = await this.comeBack(await this.provider.signIn(url), cookie);
    // The next request finds out that the agent has another service.
    await this.gateway.proxy();
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `/dashboard/services/${id}?connection=connected`,
    ]);
    return this.read(id);
  }

  read(id: number): Promise<Service> {
    return this.gateway.admin<Service>(`GET /services/${id}`);
  }

  /** The values of `Authorization` that the upstream got, in the order of the requests. */
  tokens(): string[] {
    return this.gateway.upstream.calls.map(({ headers }) => String(headers.authorization));
  }

  async readSecrets(id: number) {
    const { app } = this.gateway.app;
    const service = await app.get(ServiceRegistry, { strict: false }).view(1, id);
    return app.get(CredentialVault, { strict: false }).oauthSecrets(service);
  }
}
