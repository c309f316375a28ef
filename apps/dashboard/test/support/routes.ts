import type { RiskRule } from '#contracts';
import type { Page } from 'playwright-core';
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
  const tools = [{ name: 'issue_credit', inputSchema: { properties: { amount: {} } } }, { name: 'list_orders' }];
  await gateway.admin(`POST ${service}/documentation`, {
    type: 'mcp',
    title: 'Tools of the shop',
    content: JSON.stringify({ tools }),
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
  // The exception lets equal requests pass from here on.
  await furnishRules(gateway, executed.action_id);
  await gateway.app.settled();
  return pending.action_id;
}

/** Rules in states that the list, the editor and the playground show. @param fromAction what "Ask before DELETE" held */
async function furnishRules(gateway: Gateway, fromAction: string): Promise<void> {
  const path = `/services/${gateway.service.id}/risk-rules`;
  const asks = (await gateway.admin<RiskRule[]>(`GET ${path}`)).find(({ name }) => name === 'Ask before DELETE')!;
  await gateway.admin(`PUT ${path}/${asks.id}`, { when: 'request.body == null' });
  const exception = { effect: 'allow', exceptionTo: [asks.id], fromAction, expiresInMinutes: 60 };
  const limit = { count: 500, per: 'day', then: 'require_approval', sum: 'request.body.amount' };
  for (const rule of [
    { ...exception, name: 'Delete customers for an hour' },
    { name: 'At most 500 EUR a day', effect: 'limit', pathPattern: '/payments', limit },
    { name: 'Ask before refunds', effect: 'require_approval', pathPattern: '/refunds/*', approvals: 2 },
    { name: 'Watch changes', effect: 'require_approval', methods: ['PUT'], mode: 'observe' },
  ]) {
    await gateway.admin(`POST ${path}`, rule);
  }
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  await gateway.proxy({ ...json({ amount: 480.5 }), targetUrl: `${gateway.upstream.url}/v1/payments` });
  await gateway.proxy({ ...json({}), method: 'PUT', idempotencyKey: 'furnish-put' });
}

const json = (body: object) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
  idempotencyKey: 'furnish-post',
});

/** What a person opens on the pages about rules: states that have no address. */
export function ruleStates({ url, service, agent }: Gateway): Record<string, (page: Page) => Promise<void>> {
  const edit = async (page: Page, name: string) => {
    await page.goto(`${url}/dashboard/services/${service.id}/rules`);
    await page.getByRole('button', { name: `Edit: ${name}` }).click();
    return page.getByRole('dialog');
  };
  return {
    async exception(page) {
      await (await edit(page, 'Delete customers for an hour')).getByText(/exceptions last at most/).waitFor();
    },
    async versions(page) {
      const dialog = await edit(page, 'Ask before DELETE');
      await dialog.getByRole('button', { name: 'Earlier versions' }).click();
      await dialog.getByRole('group', { name: 'Compare two versions' }).waitFor();
    },
    async backtest(page) {
      const dialog = await edit(page, 'Ask before refunds');
      await dialog.getByRole('button', { name: /^Try it/ }).click();
      await dialog.getByText(/example/).click();
    },
    async sum(page) {
      await (await edit(page, 'At most 500 EUR a day')).getByLabel('What is summed').fill('request.body.amount +');
      await page.getByText(/^line 1, column/).waitFor();
    },
    async playground(page) {
      const body = {
        method: 'POST',
        path: '/x/..;/Payments',
        body: '{"total":5}',
        headers: 'Content-Type: application/json',
      };
      const trial = { service: String(service.id), agent: String(agent.id), intent: 'try it', ...body };
      await page.goto(`${url}/dashboard/playground#${new URLSearchParams(trial).toString()}`);
      await page.getByRole('button', { name: 'Check risk' }).click();
      await page.getByText('servers can read the path as').waitFor();
      await page.getByText(/rules? do(es)? not match/).click();
    },
  };
}

/** All pages after login. */
export const routes = ({ service, agent }: Gateway, actionId: string): string[] => [
  '/approvals',
  '/approvals?tab=approved',
  '/approvals?tab=mine',
  `/approvals/${actionId}`,
  '/history',
  `/history/requests/${actionId}`,
  '/history?rule=1',
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
  '/attention',
  '/playground',
  ...['profile', 'security', 'notifications', 'preferences', 'tokens', 'members', 'workspace', 'file'].map(
    (tab) => `/settings/${tab}`,
  ),
  '/status',
  '/no-such-page',
];
