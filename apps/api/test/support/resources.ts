import type { Agent, CreateAgentResponse, DocumentSummary, RiskRule, Service } from '#contracts';
import { call, login, register } from './accounts.js';

type App = { url: string };

/**
 * A new account, logged in.
 * @returns its access token
 */
export async function signUp(app: App, email: string): Promise<string> {
  await register(app, email);
  return (await login(app, email)).accessToken;
}

export const SERVICE = {
  name: 'Example',
  baseUrl: 'https://api.example.com/v1',
  authType: 'bearer',
  credentials: { token: 'planted-secret-value' },
};

export const createService = (app: App, token: string, fields: object = {}): Promise<Service> =>
  created(app, token, 'POST /services', { ...SERVICE, ...fields });

export const createAgent = (app: App, token: string, serviceIds: number[], name = 'billing-bot') =>
  created<CreateAgentResponse>(app, token, 'POST /agents', { name, serviceIds });

export const createRule = (app: App, token: string, serviceId: number, fields: object = {}): Promise<RiskRule> =>
  created(app, token, `POST /services/${serviceId}/risk-rules`, { name: 'A rule', effect: 'deny', ...fields });

export const createDocument = (app: App, token: string, serviceId: number, fields: object = {}) =>
  created<DocumentSummary>(app, token, `POST /services/${serviceId}/documentation`, {
    type: 'text',
    title: 'Notes',
    content: 'Be careful.',
    ...fields,
  });

export const getAgent = async (app: App, token: string, id: number): Promise<Agent> =>
  (await call<Agent>(app, `GET /agents/${id}`, { token })).body;

async function created<T>(app: App, token: string, route: string, body: object): Promise<T> {
  const answer = await call<T>(app, route, { token, body });
  if (answer.status !== 201) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
