import type {
  AssessRiskRequest,
  CreateRiskRuleRequest,
  HttpMethod,
  RiskAssessment,
  RiskRule,
  Service,
} from '#contracts';
import { RiskAssessor } from '../../src/risk/risk-assessor.js';
import type { RiskRequest } from '../../src/risk/risk-verdict.js';
import { ServiceRegistry } from '../../src/services/service-registry.js';
import type { ServiceView } from '../../src/service-view/service-view.js';
import { call, login, register } from './accounts.js';
import { startFakeModel, type FakeModel } from './fake-model.js';
import { startFakeUpstream, type FakeUpstream } from './fake-upstream.js';
import { startApp, type TestApp } from './start-app.js';

/** Tests wait for it, on a gateway of their own. On a busy machine, the model of the others takes longer. */
export const TIMEOUT_MS = 300;
export const SECRET = 'planted-upstream-secret';

let intents = 0;
/** A new request each time, so that no verdict is cached for it. */
export const newRequest = (service: Service, method: HttpMethod = 'GET', path = '/items'): RiskRequest => ({
  method,
  targetUrl: service.baseUrl + path,
  headers: {},
  body: method === 'POST' || method === 'PUT' || method === 'PATCH' ? '{"a":1}' : null,
  intent: `Intent number ${++intents}`,
});

/** A gateway whose assessor is also called directly. */
export class RiskApp {
  private constructor(
    readonly model: FakeModel,
    readonly upstream: FakeUpstream,
    readonly app: TestApp,
    /** The same gateway, which gives the model little time. */
    readonly impatient: TestApp,
    private readonly userId: number,
    readonly token: string,
  ) {}

  static async start(): Promise<RiskApp> {
    const model = await startFakeModel();
    const upstream = await startFakeUpstream();
    const settings = {
      LLM_BASE_URL: model.url,
      PRIVATE_TARGET_ALLOWLIST: upstream.hostAndPort,
      ALLOW_REGISTRATION: 'true',
    };
    const app = await startApp({ ...settings, LLM_TIMEOUT_MS: '60000' });
    const impatient = await startApp({
      ...settings,
      LLM_TIMEOUT_MS: String(TIMEOUT_MS),
      DATABASE_URL: app.databaseUrl,
    });
    const { id } = await register(app, 'owner@example.com');
    const { accessToken } = await login(app, 'owner@example.com');
    return new RiskApp(model, upstream, app, impatient, id, accessToken);
  }

  get assessor(): RiskAssessor {
    return this.app.app.get(RiskAssessor);
  }

  /** Forgets all calls, and lets the model pass everything. */
  reset(): void {
    this.model.calls.length = 0;
    this.upstream.calls.length = 0;
    this.model.answer({ score: 0, explanation: 'Looks as it says.' });
  }

  async newService(): Promise<Service> {
    const body = {
      name: 'Shop',
      baseUrl: `${this.upstream.url}/v1`,
      authType: 'bearer',
      credentials: { token: SECRET },
    };
    const answer = await call<Service>(this.app, 'POST /services', { token: this.token, body });
    expect(answer.status).toBe(201);
    return answer.body;
  }

  async newRule(service: Service, rule: CreateRiskRuleRequest): Promise<RiskRule> {
    const { token } = this;
    const answer = await call<RiskRule>(this.app, `POST /services/${service.id}/risk-rules`, { token, body: rule });
    expect(answer.status).toBe(201);
    return answer.body;
  }

  readServiceView(service: Service): Promise<ServiceView> {
    return this.app.app.get(ServiceRegistry).view(this.userId, service.id);
  }

  dryRun(serviceId: number, body: Omit<AssessRiskRequest, 'serviceId'>) {
    return call<RiskAssessment & { error?: string }>(this.app, 'POST /risk/assess', {
      token: this.token,
      body: { serviceId, ...body },
    });
  }

  async close(): Promise<void> {
    await this.impatient.close();
    await this.app.close();
    await this.upstream.close();
    await this.model.close();
  }
}
