import type { Action, ActionContext, Service } from '#contracts';
import { SECRET, startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
});

const get = (actionId: string): Promise<Action> => gateway.admin<Action>(`GET /approvals/${actionId}`);

describe('the context of an action', () => {
  const readContext = (id: string) => gateway.admin<ActionContext>(`GET /approvals/${id}/context`);
  let service: Service;
  let agentKey: string;
  let agentId: number;
  const hold = (path: string, method = 'DELETE') =>
    gateway.hold({ method, targetUrl: `${gateway.upstream.url}/crm${path}` }, { 'Agent-Key': agentKey });
  const rules = () => `/services/${service.id}/risk-rules`;

  beforeAll(async () => {
    service = await gateway.createService({
      name: 'CRM',
      baseUrl: `${gateway.upstream.url}/crm`,
      authType: 'api_key',
      credentials: { api_key: SECRET, 'X-Tenant': 'tenant-secret' },
    });
    const created = await gateway.createAgent('crm-bot', [service.id]);
    agentKey = created.apiKey;
    agentId = created.agent.id;
  });

  it('reports a new request as new: no documentation and no earlier request', async () => {
    const { action_id } = await hold('/contacts/1');
    expect(await readContext(action_id)).toEqual({
      operation: null,
      novelty: { agentCreatedAt: expect.any(String), earlierRequests: 0, earlierSameMethod: 0 },
      similar: [],
      differences: null,
      amounts: [],
      sameThing: null,
      holdingRules: [],
      allowSimilar: {
        methods: ['DELETE'],
        pathPattern: '/contacts/*',
        agentIds: [agentId],
        matched: 1,
        of: 1,
        overruledBy: null,
        values: [
          { text: 'size(request.query) == 0', mayVary: false },
          { text: 'request.body == null', mayVary: false },
          { text: expect.stringMatching(/^request\.headers\.all\(k, k in \[/), mayVary: false },
        ],
        exception: null,
        noException: null,
        maxHours: null,
      },
      injectedHeaders: expect.arrayContaining(['x-api-key', 'x-tenant']),
    });
  });

  it('finds the operation in the OpenAPI document of the service', async () => {
    const document = await gateway.admin<{ id: number }>(`POST /services/${service.id}/documentation`, {
      type: 'openapi',
      title: 'CRM API',
      content: JSON.stringify({
        openapi: '3.0.0',
        info: { title: 'CRM', version: '1' },
        paths: {
          '/contacts/{id}': {
            delete: { operationId: 'deleteContact', summary: 'Delete a contact', description: 'For ever.' },
            get: { operationId: 'getContact' },
          },
          '/namespaces/{namespace}/jobs/{name}': { delete: { summary: 'Delete a job' } },
          '/contacts/{name}/tags/{tag}': { delete: { operationId: 'untag' } },
        },
      }),
    });
    const { action_id } = await hold('/contacts/frank');
    const context = await readContext(action_id);
    expect(context.operation).toEqual({
      documentId: document.id,
      documentTitle: 'CRM API',
      method: 'DELETE',
      path: '/contacts/{id}',
      operationId: 'deleteContact',
      summary: 'Delete a contact',
      description: 'For ever.',
    });
    // "frank" looks like a word. Only the document says that it is an identifier.
    expect(context.allowSimilar!.pathPattern).toBe('/contacts/*');
    expect((await get(action_id)).summary).toBe('Delete a contact · frank');
    const inNamespace = await hold('/namespaces/prod/jobs/build-7');
    expect((await get(inNamespace.action_id)).summary).toBe('Delete a job · build-7 in prod');
    const other = await readContext((await hold('/unknown/1')).action_id);
    expect(other.operation).toBeNull();
  });

  it('counts earlier requests of the agent to this service', async () => {
    gateway.model.answer({ score: 0 });
    const read = { targetUrl: `${gateway.upstream.url}/crm/contacts/5` };
    await gateway.proxy(read, { 'Agent-Key': agentKey });
    await gateway.proxy(read, { 'Agent-Key': agentKey });
    await gateway.proxy({ ...read, method: 'DELETE' }, { 'Agent-Key': agentKey });
    const { novelty } = await readContext((await hold('/contacts/6')).action_id);
    expect(novelty).toMatchObject({ earlierRequests: 3, earlierSameMethod: 1 });
  });

  it('shows the latest decisions on similar requests, newest first', async () => {
    const approved = (await hold('/deals/1')).action_id;
    const denied = (await hold('/deals/2')).action_id;
    await gateway.approve(approved, 'was fine');
    await gateway.deny(denied, 'not this one');
    await gateway.deny((await hold('/deals/3/notes/1')).action_id);
    await gateway.deny((await hold('/deals/3', 'PUT')).action_id);
    await hold('/deals/4');
    const { similar } = await readContext((await hold('/deals/5')).action_id);
    expect(similar).toEqual([
      expect.objectContaining({
        action_id: denied,
        status: 'DENIED',
        summary: 'DELETE deal 2',
        headline: 'DELETE deal 2',
        intent: 'clean up',
        resolved_by: { id: expect.any(Number), name: 'Ada' },
        resolution_note: 'not this one',
      }),
      expect.objectContaining({ action_id: approved, status: 'APPROVED', resolution_note: 'was fine' }),
    ]);
  });

  it('reports how many requests "allow similar" matches, and names a rule that overrules it', async () => {
    await hold('/orders/1');
    await hold('/orders/2');
    const { action_id } = await hold('/orders/3');
    const before = (await readContext(action_id)).allowSimilar!;
    expect(before).toMatchObject({ pathPattern: '/orders/*', matched: 3, overruledBy: null });
    expect(before.of).toBeGreaterThan(before.matched);
    const rule = await gateway.admin<{ id: number }>(`POST ${rules()}`, {
      name: 'ask before every delete',
      effect: 'require_approval',
      methods: ['DELETE'],
    });
    expect((await readContext(action_id)).allowSimilar!.overruledBy).toBe('ask before every delete');
    await gateway.admin(`DELETE ${rules()}/${rule.id}`);

    // The proposed rule works as its text says.
    const { methods, pathPattern, agentIds } = before;
    const allow = await gateway.admin<{ id: number }>(`POST ${rules()}`, {
      name: 'similar',
      effect: 'allow',
      methods,
      pathPattern,
      agentIds,
    });
    gateway.model.answer({ score: 1 });
    const send = (path: string) =>
      gateway.proxy({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/crm${path}` }, { 'Agent-Key': agentKey });
    expect((await send('/orders/77')).status).toBe(200);
    expect((await send('/orders/77/lines')).status).toBe(428);
    await gateway.admin(`DELETE ${rules()}/${allow.id}`);
  });

  it.each(['/orders//42', '/orders/a%2fb', '/orders/*', '/orders/%2a', '/orders/4;x'])(
    'proposes no rule for %s, whose pattern matches more than a reader expects',
    async (path) => {
      const { allowSimilar, allowSimilarWithheld } = await readContext((await hold(path)).action_id);
      expect([allowSimilar, allowSimilarWithheld]).toEqual([null, 'ambiguous_path']);
    },
  );

  it('proposes a rule for one namespace first, and the wider rule as an option', async () => {
    const held = await hold('/namespaces/prod/pods/web-1');
    const { allowSimilar } = await readContext(held.action_id);
    expect(allowSimilar).toMatchObject({
      pathPattern: '/namespaces/prod/pods/*',
      widerPathPattern: '/namespaces/*/pods/*',
    });
    expect((await get(held.action_id)).summary).toBe('DELETE pod web-1 in prod');
  });

  it.each([
    ['graphql', '/graphql', { query: 'mutation CleanUp { deleteRepository(id: 1) { id } }' }],
    ['rpc', '/rpc', { jsonrpc: '2.0', method: 'eth_sendTransaction', id: 1 }],
    ['batch', '/batch', []],
    ['method_override', '/contacts/7?_method=DELETE', {}],
  ])('proposes no rule for %s, because the body decides what the request does', async (withheld, path, body) => {
    const request = { method: 'POST', targetUrl: `${gateway.upstream.url}/crm${path}`, body: JSON.stringify(body) };
    const held = await gateway.hold({ ...request, idempotencyKey: withheld }, { 'Agent-Key': agentKey });
    const { allowSimilar, allowSimilarWithheld } = await readContext(held.action_id);
    expect([allowSimilar, allowSimilarWithheld]).toEqual([null, withheld]);
  });

  it('has the tool that a request to an MCP server calls, and the title names it and what it acts on', async () => {
    const tool = {
      name: 'issue_credit',
      description: 'Credits a customer.\nFor ever.',
      inputSchema: { properties: { customer: { type: 'string' }, amount: {} } },
    };
    const document = await gateway.admin<{ id: number }>(`POST /services/${service.id}/documentation`, {
      type: 'mcp',
      title: 'CRM tools',
      content: JSON.stringify({ tools: [tool] }),
    });
    const callOf = (name: string) =>
      gateway.hold(
        {
          method: 'POST',
          targetUrl: `${gateway.upstream.url}/crm/mcp`,
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name, arguments: { id: 'nobody', amount: 7, customer: 'ada' } },
          }),
          idempotencyKey: name,
        },
        { 'Agent-Key': agentKey },
      );
    const held = await callOf('issue_credit');
    expect((await readContext(held.action_id)).operation).toEqual({
      documentId: document.id,
      documentTitle: 'CRM tools',
      method: 'POST',
      path: '',
      operationId: 'issue_credit',
      summary: 'Credits a customer.',
      description: 'Credits a customer.\nFor ever.',
    });
    expect((await get(held.action_id)).summary).toBe('issue_credit · ada · on CRM');
    const other = await callOf('ping');
    expect((await readContext(other.action_id)).operation).toBeNull();
    expect((await get(other.action_id)).summary).toBe('ping · nobody/ada · on CRM');
  });

  it('counts the other waiting requests about the same thing', async () => {
    const refund = (order: number, amount: number) => hold(`/orders/${order}/refunds?amount=${amount}`);
    const { action_id } = await refund(7731, 10);
    expect((await readContext(action_id)).sameThing).toBeNull();
    const decided = await refund(7731, 20);
    await refund(7731, 30);
    await refund(77310, 10);
    await hold('/customers/7731');
    expect((await readContext(action_id)).sameThing).toEqual({ name: 'order 7731', text: '7731', count: 2 });
    await gateway.admin(`PATCH /approvals/${decided.action_id}/deny`, {});
    expect((await readContext(action_id)).sameThing?.count).toBe(1);
  });

  it('names the rules that ask for the request, and who made them', async () => {
    const rule = await gateway.admin<{ id: number }>(`POST ${rules()}`, {
      name: 'Ask about exports',
      effect: 'require_approval',
      pathPattern: '/exports/*',
    });
    await gateway.admin(`POST ${rules()}`, { name: 'Be strict', effect: 'guidance', instruction: 'Be strict.' });
    const { action_id } = await hold('/exports/1');
    expect((await readContext(action_id)).holdingRules).toEqual([
      { id: rule.id, name: 'Ask about exports', effect: 'require_approval', createdBy: 'Ada' },
    ]);
  });

  it('names no rule that is younger than the request, unless it refuses the request', async () => {
    const { action_id } = await hold('/imports/1');
    const made = (name: string, effect: string, rest = {}) =>
      gateway.admin<{ id: number }>(`POST ${rules()}`, { name, effect, pathPattern: '/imports/*', ...rest });
    await made('Two people for imports', 'require_approval', { approvals: 2 });
    expect((await readContext(action_id)).holdingRules).toEqual([]);
    expect((await get(action_id)).approvals.needed).toBe(1);
    const denial = await made('No imports', 'deny');
    expect((await readContext(action_id)).holdingRules.map(({ name }) => name)).toEqual(['No imports']);
    await gateway.admin(`DELETE ${rules()}/${denial.id}`);
  });

  describe('what is different from earlier requests', () => {
    const ask = async (path: string, body: unknown) => {
      const { action_id } = await gateway.hold(
        {
          method: 'DELETE',
          targetUrl: `${gateway.upstream.url}/crm${path}`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
        { 'Agent-Key': agentKey },
      );
      return action_id;
    };
    const differences = async (id: string) => (await readContext(id)).differences;

    it('compares only what people approved', async () => {
      for (const amount of [30, 40, 50]) await ask('/payouts/1', { amount, account: 'acc_1' });
      const id = await ask('/payouts/2', { amount: 1200, account: 'acc_9' });
      expect(await differences(id)).toBeNull();
      for (const amount of [31, 41, 51]) await gateway.approve(await ask('/payouts/3', { amount, account: 'acc_1' }));
      const later = await ask('/payouts/4', { amount: 1230, account: 'acc_9' });
      expect(await differences(later)).toEqual({
        of: 3,
        fields: [
          { pointer: '/body/amount', kind: 'unusual_number', value: '1230', usual: '41', times: 30 },
          { pointer: '/body/account', kind: 'new_value', value: 'acc_9', usual: 'acc_1', times: null },
        ],
        more: 0,
      });
    });

    it('compares calls of the same procedure only', async () => {
      const call = (method: string, params: unknown) => ask('/rpc', { jsonrpc: '2.0', id: 1, method, params });
      for (const to of ['a', 'a', 'a']) await gateway.approve(await call('pay', { to }));
      expect(await differences(await call('close', { to: 'b' }))).toBeNull();
      expect(await differences(await call('pay', { to: 'b' }))).toMatchObject({
        of: 3,
        fields: [{ pointer: '/body/params/to', kind: 'new_value' }],
      });
    });
  });

  it('has the sums of amounts whose currency and unit are known', async () => {
    const body = JSON.stringify({ lines: [{ amount_cents: 1250000, currency: 'EUR' }], total: 7, currency: 'EUR' });
    const { action_id } = await gateway.hold(
      { method: 'POST', targetUrl: `${gateway.upstream.url}/crm/invoices`, body, idempotencyKey: 'invoice' },
      { 'Agent-Key': agentKey },
    );
    expect((await readContext(action_id)).amounts).toEqual([
      {
        pointer: '/body/lines/0/amount_cents',
        text: '€12,500.00',
        currency: 'EUR',
        currencyPointer: '/body/lines/0/currency',
        digits: 2,
      },
    ]);
  });

  it('stays available after its agent and service are deleted', async () => {
    const { action_id } = await hold('/contacts/8');
    await gateway.admin(`DELETE /agents/${agentId}`);
    await gateway.admin(`DELETE /services/${service.id}`);
    expect(await readContext(action_id)).toEqual({
      operation: null,
      novelty: { agentCreatedAt: null, earlierRequests: 0, earlierSameMethod: 0 },
      similar: [],
      differences: null,
      amounts: [],
      sameThing: null,
      holdingRules: [],
      allowSimilar: null,
      injectedHeaders: [],
    });
  });
});
