import type {
  ActionSummaryPage,
  Agent,
  CreateAgentResponse,
  DocumentSummary,
  ErrorBody,
  RiskRule,
  Service,
} from '#contracts';
import { del, get, patch, post } from './http.js';

/**
 * Sample data to try before there is an API: a service with documentation and rules, an agent, and its requests. All of
 * it is created by normal API calls, so the history is real. No request is ever sent upstream: nobody has the agent's
 * key, so approved actions are never executed.
 */
// A domain reserved for examples (RFC 2606). Its name resolves, which the gateway requires before it holds a request.
const BASE_URL = 'https://example.com/demo-shop/v1';
const AGENT = 'demo-bot';
const NOTE = 'The demo data was removed';

export const isDemo = ({ baseUrl }: Pick<Service, 'baseUrl'>): boolean => baseUrl === BASE_URL;

const operation = (summary: string, description = summary) => ({ summary, description, responses: {} });
const DOCUMENTATION = {
  openapi: '3.0.0',
  info: { title: 'Demo shop', version: '1' },
  servers: [{ url: BASE_URL }],
  paths: {
    '/customers/{customer}': {
      patch: operation('Update a customer'),
      delete: operation(
        'Delete a customer',
        'Permanently deletes a customer and cancels its subscriptions. It can’t be undone.',
      ),
    },
    '/orders/{order}/refund': { post: operation('Refund an order', 'Pays back the full amount immediately.') },
    '/payouts': { post: operation('Pay out', 'Sends the balance to the bank account of the shop.') },
  },
};
const RULES = [
  { name: 'Ask before every write', effect: 'require_approval', methods: ['POST', 'PUT', 'PATCH', 'DELETE'] },
  { name: 'No payouts', effect: 'deny', pathPattern: '/payouts/**' },
];
const REQUESTS = [
  { method: 'POST', path: '/payouts', body: { amount: 120000 }, intent: 'Pay out this week’s balance' },
  {
    method: 'PATCH',
    path: '/customers/17',
    body: { email: 'new@example.com' },
    intent: 'She wrote from a new address',
  },
  { method: 'POST', path: '/orders/1002/refund', body: { reason: 'damaged' }, intent: 'The parcel arrived broken' },
  { method: 'DELETE', path: '/customers/42', body: null, intent: 'Clean up the test users' },
];

export async function loadDemoData(): Promise<void> {
  const credentials = { token: 'demo' };
  const service = await post<Service>('/services', {
    name: 'Demo shop',
    baseUrl: BASE_URL,
    authType: 'bearer',
    credentials,
  });
  await post<DocumentSummary>(`/services/${service.id}/documentation`, {
    type: 'openapi',
    title: 'Demo shop OpenAPI',
    content: JSON.stringify(DOCUMENTATION),
  });
  for (const rule of RULES) await post<RiskRule>(`/services/${service.id}/risk-rules`, rule);
  const { apiKey } = await post<CreateAgentResponse>('/agents', { name: AGENT, serviceIds: [service.id] });
  for (const { method, path, body, intent } of REQUESTS) {
    // Sent as the agent: with its key and without the session. The gateway records every outcome.
    const answer = await fetch('/proxy', {
      method: 'POST',
      credentials: 'omit',
      headers: { 'Agent-Key': apiKey, 'Content-Type': 'application/json', 'Idempotency-Key': path },
      body: JSON.stringify({
        method,
        targetUrl: BASE_URL + path,
        intent,
        ...(body ? { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : {}),
      }),
    });
    if (answer.status === 428 || answer.status === 403) continue;
    await removeDemoData(service);
    throw new Error(((await answer.json()) as ErrorBody).error);
  }
}

/**
 * Denies waiting actions, deletes agents that have no other service, then deletes the service. The history keeps its
 * records.
 */
export async function removeDemoData(service: Service): Promise<void> {
  for (;;) {
    const { items } = await get<ActionSummaryPage>('/approvals', {
      status: 'PENDING',
      serviceId: service.id,
      limit: 50,
      view: 'summary',
    });
    if (items.length === 0) break;
    for (const { action_id } of items) await patch(`/approvals/${action_id}/deny`, { note: NOTE });
  }
  for (const { id, services } of await get<Agent[]>('/agents'))
    if (services.length === 1 && services[0]!.id === service.id) await del(`/agents/${id}`);
  await del(`/services/${service.id}`);
}
