import type { Action, Agent, AuditPage, AuditRecord, CreateAgentResponse, HeldResponse, Service } from '#contracts';
import type { EgressTimeouts } from '../../src/platform/config.js';
import { call, login, register, type Answer } from './accounts.js';
import { startFakeModel, type FakeModel } from './fake-model.js';
import { startFakeUpstream, type FakeUpstream } from './fake-upstream.js';
import { startApp, type TestApp } from './start-app.js';

export const SECRET = 'sk-live-1234567890-planted';

export interface ProxyBody {
  targetUrl: string;
  method: string;
  headers?: Record<string, string>;
  body?: string | null;
  bodyBase64?: string;
  intent: string;
  idempotencyKey?: string;
}

export interface ProxyAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
  json<T = Record<string, unknown>>(): T;
}

/** The id of the account. */
type Made<T> = T & { userId: number };

/**
 * A gateway with everything that a request needs: a user, a bearer service on a fake upstream, an agent and a fake
 * model.
 */
export class Gateway {
  token = '';
  service!: Made<Service>;
  agent!: Made<Agent>;
  agentKey = '';

  constructor(
    readonly app: TestApp,
    readonly upstream: FakeUpstream,
    readonly model: FakeModel,
  ) {}

  get url(): string {
    return this.app.url;
  }

  /** A dashboard request; throws unless it succeeds. */
  async admin<T = Record<string, unknown>>(route: string, body?: object): Promise<T> {
    const answer = await this.tryAdmin<T>(route, body);
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  tryAdmin<T = { error: string; statusCode: number }>(
    route: string,
    body?: object,
    token = this.token,
  ): Promise<Answer<T>> {
    return call<T>(this.app, route, { token, body });
  }

  /** `POST /proxy`; by default a harmless GET below the service. */
  proxy(body: Partial<ProxyBody> = {}, headers: Record<string, string> = {}): Promise<ProxyAnswer> {
    const whole = { targetUrl: `${this.upstream.url}/v1/customers`, method: 'GET', intent: 'look', ...body };
    return this.agentCall('POST', '/proxy', JSON.stringify(whole), headers);
  }

  /** A DELETE that is held, because the model scores it as dangerous. */
  async hold(body: Partial<ProxyBody> = {}, headers: Record<string, string> = {}): Promise<HeldResponse> {
    this.model.answer({ score: 0.9, explanation: 'deletes a customer' });
    const request = {
      method: 'DELETE',
      targetUrl: `${this.upstream.url}/v1/customers/42`,
      intent: 'clean up',
      ...body,
    };
    const answer = await this.proxy(request, headers);
    if (answer.status !== 428) throw new Error(`not held: ${answer.status} ${answer.text}`);
    return answer.json<HeldResponse>();
  }

  status(actionId: string, headers: Record<string, string> = {}): Promise<ProxyAnswer> {
    return this.agentCall('GET', `/status/${actionId}`, undefined, headers);
  }

  execute(actionId: string, headers: Record<string, string> = {}): Promise<ProxyAnswer> {
    return this.agentCall('POST', `/proxy/execute/${actionId}`, undefined, headers);
  }

  approve(actionId: string, note?: string): Promise<Action> {
    return this.admin<Action>(`PATCH /approvals/${actionId}/approve`, { note });
  }

  deny(actionId: string, note?: string): Promise<Action> {
    return this.admin<Action>(`PATCH /approvals/${actionId}/deny`, { note });
  }

  createService(fields: object = {}): Promise<Service> {
    return this.admin<Service>('POST /services', {
      name: 'Shop',
      baseUrl: `${this.upstream.url}/v1`,
      authType: 'bearer',
      credentials: { token: SECRET },
      ...fields,
    });
  }

  createAgent(name: string, serviceIds: number[]): Promise<CreateAgentResponse> {
    return this.admin<CreateAgentResponse>('POST /agents', { name, serviceIds });
  }

  /** Audit records, newest first, after all background work is done. */
  async audit(query = ''): Promise<AuditRecord[]> {
    await this.app.settled();
    return (await this.admin<AuditPage>(`GET /audit?limit=200${query}`)).items;
  }

  async agentCall(
    method: string,
    path: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<ProxyAnswer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        'Agent-Key': this.agentKey,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body,
      redirect: 'manual',
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString();
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      text,
      json: <T>() => JSON.parse(text) as T,
    };
  }

  /** Another instance on the same database, for the same user and agent, with the same upstream and model. */
  async secondInstance(
    environment: Record<string, string> = {},
    timeouts: Partial<EgressTimeouts> = {},
  ): Promise<Gateway> {
    const app = await startApp(
      {
        LLM_BASE_URL: this.model.url,
        PRIVATE_TARGET_ALLOWLIST: this.upstream.hostAndPort,
        RISK_CACHE_SECONDS: '0',
        ...environment,
        DATABASE_URL: this.app.databaseUrl,
      },
      timeouts,
    );
    const { token, service, agent, agentKey } = this;
    return Object.assign(new Gateway(app, this.upstream, this.model), { token, service, agent, agentKey });
  }

  /** Needed after a test has moved the clock past the expiry of the access token. */
  async logInAgain(email = 'ada@example.com'): Promise<void> {
    this.token = (await login(this.app, email)).accessToken;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.upstream.close();
    await this.model.close();
  }
}

/** @param environment settings that override the test defaults; verdicts are cached only if it enables the cache */
export async function startGateway(environment: Record<string, string> = {}): Promise<Gateway> {
  const [upstream, model] = await Promise.all([startFakeUpstream(), startFakeModel()]);
  const app = await startApp({
    LLM_BASE_URL: model.url,
    RISK_CACHE_SECONDS: '0',
    CALLBACK_PRIVATE_HOSTS: upstream.hostAndPort,
    PRIVATE_CHANNEL_ALLOWLIST: upstream.hostAndPort,
    // Other accounts of a test have their services on the same upstream.
    PRIVATE_TARGET_ACCESS: 'all',
    ...environment,
    PRIVATE_TARGET_ALLOWLIST: `${upstream.hostAndPort},${environment.PRIVATE_TARGET_ALLOWLIST ?? ''}`,
  });
  const gateway = new Gateway(app, upstream, model);
  await register(app, 'ada@example.com', { name: 'Ada' });
  gateway.token = (await login(app, 'ada@example.com')).accessToken;
  gateway.service = (await gateway.createService()) as Made<Service>;
  const { agent, apiKey } = await gateway.createAgent('support-bot', [gateway.service.id]);
  gateway.agent = agent as Made<Agent>;
  gateway.agentKey = apiKey;
  return gateway;
}
