import type { Gateway } from '../../../api/test/support/gateway.js';

const SPECIFICATION = {
  openapi: '3.0.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: '/v1' }],
  paths: {
    '/customers/{id}': {
      get: { summary: 'Look up a customer', responses: {} },
      delete: { summary: 'Delete a customer', description: 'Permanently deletes a customer.', responses: {} },
    },
  },
};

/**
 * Creates one of each thing that pages show: actions in every state, rules, a document, audited requests.
 * @returns an action's id
 */
export async function furnish(gateway: Gateway): Promise<string> {
  const service = `/services/${gateway.service.id}`;
  await gateway.admin(`POST ${service}/documentation`, {
    type: 'openapi',
    title: 'Shop OpenAPI',
    content: JSON.stringify(SPECIFICATION),
  });
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  for (const rule of [
    { name: 'Never refunds', effect: 'deny', pathPattern: '/refunds/**' },
    { name: 'Ask before DELETE', effect: 'require_approval', methods: ['DELETE'] },
    { name: 'Allow reads', effect: 'allow', methods: ['GET'], agentIds: [gateway.agent.id], expiresAt: soon },
    { name: 'Large sums', effect: 'guidance', instruction: 'Sums above 200 are high risk.' },
  ]) {
    await gateway.admin(`POST ${service}/risk-rules`, rule);
  }
  await gateway.admin(`PUT /agents/${gateway.agent.id}/callback`, { url: `${gateway.upstream.url}/callbacks` });
  await gateway.proxy({ intent: 'look' });
  await gateway.proxy({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1/refunds/1` });
  const at = (id: number) => ({ targetUrl: `${gateway.upstream.url}/v1/customers/${id}` });
  const approved = await gateway.hold(at(1));
  await gateway.approve(approved.action_id, 'Fine');
  const executed = await gateway.hold(at(2));
  await gateway.approve(executed.action_id);
  await gateway.execute(executed.action_id);
  await gateway.deny((await gateway.hold(at(3))).action_id, 'Archive it instead');
  gateway.model.answer({ score: 0.5, explanation: 'Changes an address.' });
  for (const [index, name] of ['Ada Lovelace', 'Grace Hopper'].entries()) {
    await gateway.proxy(
      {
        ...at(index),
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name, tags: [1] }),
      },
      { 'Idempotency-Key': `furnish-${index}` },
    );
  }
  const pending = await gateway.hold({ ...at(4), intent: 'clean up\u202e the tеst users' });
  await gateway.app.settled();
  return pending.action_id;
}

/** All pages after login. */
export const routes = ({ service, agent }: Gateway, actionId: string): string[] => [
  '/approvals',
  '/approvals?tab=approved',
  '/approvals?tab=mine',
  `/approvals/${actionId}`,
  '/history',
  '/history?tab=decisions',
  '/history?tab=charts',
  '/history?tab=changes',
  '/history?tab=access',
  '/services',
  '/services/new',
  ...['other', 'gitea', 'google-drive', 'aws-s3'].map((api) => `/services/new?api=${api}`),
  ...['overview', 'credentials', 'documentation', 'rules'].map((tab) => `/services/${service.id}/${tab}`),
  '/agents',
  '/agents/new',
  ...['overview', 'access', 'callback', 'snippets'].map((tab) => `/agents/${agent.id}/${tab}`),
  '/playground',
  ...['profile', 'security', 'notifications', 'preferences', 'tokens', 'members', 'workspace'].map(
    (tab) => `/settings/${tab}`,
  ),
  '/status',
  '/no-such-page',
];
