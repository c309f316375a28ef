import type { Action, ActionContext, ActionCounts, ActionPage, HeldResponse, Service } from '#contracts';
import { ApprovalQueue } from '../src/approvals/approval-queue.js';
import { login, register } from './support/accounts.js';
import { SECRET, startGateway, type Gateway } from './support/gateway.js';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DAY_MS = 86_400_000;

let gateway: Gateway;
let stranger: string;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  await register(gateway.app, 'eve@example.com');
  stranger = (await login(gateway.app, 'eve@example.com')).accessToken;
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
});

const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;
const get = (actionId: string): Promise<Action> => gateway.admin<Action>(`GET /approvals/${actionId}`);
const list = (query: string): Promise<ActionPage> => gateway.admin<ActionPage>(`GET /approvals?${query}`);
const ids = ({ items }: ActionPage): string[] => items.map(({ action_id }) => action_id);

describe('a held request', () => {
  it('gets 428 with all that a caller needs to go on, and nothing is sent', async () => {
    gateway.model.answer({ score: 0.9, explanation: 'deletes a customer' });
    const answer = await gateway.proxy({ method: 'DELETE', targetUrl: target('/customers/42'), intent: 'clean up' });
    expect(answer.status).toBe(428);
    const body = answer.json<HeldResponse>();
    const id = body.action_id;
    expect(id).toMatch(UUID_V4);
    expect(body).toEqual({
      error: 'Request requires human approval',
      statusCode: 428,
      action_id: id,
      risk_score: expect.closeTo(0.9 * 0.7 + 0.7 * 0.3),
      risk_explanation: expect.stringContaining('deletes a customer'),
      status_url: `/status/${id}`,
      executed: false,
      expires_at: expect.any(String),
      next: expect.stringMatching(new RegExp(`GET /status/${id} .*POST /proxy/execute/${id} exactly once`)),
    });
    expect(Date.parse(body.expires_at) - Date.now()).toBeGreaterThan(DAY_MS - 60_000);
    expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(DAY_MS);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('retry-after')).toBe('8');
    expect(answer.headers.get('x-proxy-status')).toBeNull();
    expect(answer.headers.get('x-idempotency-status')).toBeNull();
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('is shown to its owner with every field', async () => {
    const held = await gateway.hold({
      method: 'PUT',
      targetUrl: target('/customers/43?notify=1'),
      headers: { 'X-Trace': 'abc' },
      body: '{"name":"Bob"}',
      intent: 'rename the customer',
    });
    const action = await get(held.action_id);
    expect(action).toEqual({
      action_id: held.action_id,
      status: 'PENDING',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      resolved_at: null,
      expires_at: held.expires_at,
      approvalExpiresAt: null,
      summary: 'PUT customer 43',
      agent: { id: gateway.agent.id, name: 'support-bot' },
      service: { id: gateway.service.id, name: 'Shop' },
      method: 'PUT',
      targetUrl: target('/customers/43?notify=1'),
      headers: { 'X-Trace': 'abc', 'Content-Type': 'application/json' },
      body: '{"name":"Bob"}',
      intent: 'rename the customer',
      risk_score: held.risk_score,
      risk_explanation: held.risk_explanation,
      risk_source: 'model',
      resolved_by: null,
      resolution_note: null,
      times_asked: 1,
      last_polled_at: null,
      executed_at: null,
      result: null,
    });
    expect(Date.parse(action.expires_at) - Date.parse(action.created_at)).toBe(DAY_MS);
    await gateway.status(held.action_id);
    expect(Date.parse((await get(held.action_id)).last_polled_at!)).toBeGreaterThanOrEqual(
      Date.parse(action.created_at),
    );
  });

  it('is stored without any secret: neither the injected one nor what the agent sent to authenticate', async () => {
    gateway.upstream.answer((call, response) => {
      response.setHeader('X-Echo', String(call.headers.authorization));
      response.end(JSON.stringify(call.headers));
    });
    const { action_id } = await gateway.hold({
      targetUrl: target('/secret-keeping/1'),
      headers: {
        AUTHORIZATION: 'Bearer agents-own-1',
        'agent-KEY': gateway.agentKey,
        Cookie: 'session=agents-own-2',
        'x-api-key': 'agents-own-3',
        'Proxy-Authorization': 'agents-own-4',
        'X-Kept': 'yes',
      },
    });
    expect((await get(action_id)).headers).toEqual({ 'X-Kept': 'yes' });
    await gateway.approve(action_id);
    expect((await gateway.execute(action_id)).status).toBe(200);
    const [{ row }] = await gateway.app.database.query<{ row: string }[]>(
      `SELECT row_to_json(a)::text || convert_from(a.result_body, 'UTF8') AS row FROM actions a WHERE id = $1`,
      [action_id],
    );
    for (const secret of [SECRET, gateway.agentKey, 'agents-own']) expect(row).not.toContain(secret);
    expect(row).toContain('[REDACTED]');
  });
});

describe('the same request again', () => {
  it('gets the action that is waiting already, which counts it', async () => {
    const ask = () => gateway.hold({ targetUrl: target('/again/1'), headers: { A: '1', B: '2' } });
    const first = await ask();
    const others = await Promise.all([ask(), ask(), ask()]);
    expect(others.map(({ action_id }) => action_id)).toEqual(Array(3).fill(first.action_id));
    expect((await get(first.action_id)).times_asked).toBe(4);
  });

  it('is another one with another body, header, URL or agent, or once decided', async () => {
    const { apiKey } = await gateway.createAgent('twin-bot', [gateway.service.id]);
    const base = { method: 'PUT', targetUrl: target('/again/2'), body: 'a', headers: { A: '1' } };
    const actions = [
      await gateway.hold(base),
      await gateway.hold({ ...base, body: 'b' }),
      await gateway.hold({ ...base, headers: { A: '2' } }),
      await gateway.hold({ ...base, targetUrl: `${base.targetUrl}?x` }),
      await gateway.hold(base, { 'Agent-Key': apiKey }),
    ];
    await gateway.deny(actions[0].action_id);
    actions.push(await gateway.hold(base));
    expect(new Set(actions.map(({ action_id }) => action_id)).size).toBe(6);
  });

  it('is another one with an idempotency key', async () => {
    const base = { targetUrl: target('/again/3') };
    const first = await gateway.hold(base);
    const keyed = await gateway.hold({ ...base, idempotencyKey: 'again-3' });
    expect(keyed.action_id).not.toBe(first.action_id);
  });
});

describe('GET /approvals', () => {
  /** Held one after the other, oldest first. */
  const held: HeldResponse[] = [];
  let service: Service;
  let agentId: number;
  beforeAll(async () => {
    service = await gateway.createService({ name: 'Ledger', baseUrl: `${gateway.upstream.url}/ledger` });
    const { agent, apiKey } = await gateway.createAgent('ledger-bot', [service.id, gateway.service.id]);
    agentId = agent.id;
    for (const [method, path, score, intent] of [
      ['DELETE', '/ledger/entries/1', 0.6, 'drop entry one'],
      ['PUT', '/ledger/entries/2', 0.9, '100% sure'],
      ['DELETE', '/ledger/entries/3', 0.6, 'drop entry_three'],
      ['PUT', '/v1/elsewhere/4', 0.7, 'in another service'],
      ['DELETE', '/ledger/entries/5', 1, 'drop entry five'],
    ] as const) {
      gateway.model.answer({ score });
      const body = { method, targetUrl: gateway.upstream.url + path, intent };
      const answer = await gateway.proxy(body, { 'Agent-Key': apiKey });
      expect(answer.status).toBe(428);
      held.push(answer.json<HeldResponse>());
    }
  });
  const own = (query = '') => list(`agentId=${agentId}&${query}`);
  const pick = (...numbers: number[]) => numbers.map((number) => held[number - 1].action_id);

  it('lists the waiting ones, newest first', async () => {
    const page = await own();
    expect(ids(page)).toEqual(pick(5, 4, 3, 2, 1));
    expect(page.nextCursor).toBeNull();
    expect(page.items[0]).toEqual(await get(held[4].action_id));
  });

  it.each([
    ['serviceId of another service', () => `serviceId=${gateway.service.id}`, [4]],
    ['minRisk', () => 'minRisk=0.78', [5, 2]],
    ['method', () => 'method=PUT', [4, 2]],
    ['text in the URL', () => 'q=ENTRIES/3', [3]],
    ['text in the intent', () => 'q=drop%20entry', [5, 3, 1]],
    ['% and _ as themselves', () => 'q=100%25', [2]],
    ['_ as itself', () => 'q=entry_three', [3]],
    ['text in the name of the service', () => 'q=ledger&method=PUT', [4, 2]],
    ['all of them together', () => `serviceId=${service.id}&method=DELETE&minRisk=0.65&q=five`, [5]],
  ])('filters by %s', async (_name, query, expected) => {
    expect(ids(await own(query()))).toEqual(pick(...expected));
  });

  it('sorts by risk and by expiry', async () => {
    const byRisk = (await own('sort=risk')).items.map(({ risk_score }) => risk_score);
    expect(byRisk).toEqual([...byRisk].sort((a, b) => b - a));
    expect(ids(await own('sort=risk'))[0]).toBe(held[4].action_id);
    expect(ids(await own('sort=expiry'))).toEqual(pick(1, 2, 3, 4, 5));
  });

  it.each(['newest', 'risk', 'expiry'])('pages by a cursor without gap or repetition, sorted by %s', async (sort) => {
    const whole = ids(await own(`sort=${sort}`));
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: ActionPage = await own(`sort=${sort}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.items.length).toBeLessThanOrEqual(2);
      paged.push(...ids(page));
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(whole);
  });

  it('shows history by status, and everything with ALL', async () => {
    await gateway.deny(held[0].action_id);
    await gateway.approve(held[1].action_id);
    expect(ids(await own())).toEqual(pick(5, 4, 3));
    expect(ids(await own('status=DENIED'))).toEqual(pick(1));
    expect(ids(await own('status=APPROVED'))).toEqual(pick(2));
    expect(ids(await own('status=EXECUTED'))).toEqual([]);
    expect(ids(await own('status=ALL'))).toEqual(pick(5, 4, 3, 2, 1));
  });

  it('counts what waits for a decision and what waits for its agent', async () => {
    const counts = () => gateway.admin<ActionCounts>('GET /approvals/counts');
    const before = await counts();
    await gateway.approve(held[2].action_id);
    expect(await counts()).toEqual({
      pending: before.pending - 1,
      approved: before.approved + 1,
      oldestPendingAt: before.oldestPendingAt,
    });
    const { items } = await list('limit=200');
    expect(before.pending - 1).toBe(items.length);
    expect(before.oldestPendingAt).toBe(items.at(-1)!.created_at);
    expect((await gateway.tryAdmin('GET /approvals/counts', undefined, stranger)).body).toEqual({
      pending: 0,
      approved: 0,
      oldestPendingAt: null,
    });
  });

  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each([
    ['limit=0'],
    ['limit=201'],
    ['limit=x'],
    ['limit=1.5'],
    ['status=WAITING'],
    ['sort=name'],
    ['method=BREW'],
    ['minRisk=1.1'],
    ['minRisk=-1'],
    ['agentId=0'],
    ['agentId=2147483648'],
    ['serviceId=1e3'],
    [`q=${'x'.repeat(201)}`],
    ['q=a&q=b'],
    ['q=a%00b'],
    ['cursor=garbage'],
    [`cursor=${encoded(['a', 'b'])}`],
    [`cursor=${encoded(['2026-01-01T00:00:00.000Z', 'b'])}`],
    [`cursor=${encoded(['2026-99-99T00:00:00.000Z', '00000000-0000-4000-8000-000000000000'])}`],
    [`sort=risk&cursor=${encoded(['2026-01-01T00:00:00.000Z', '00000000-0000-4000-8000-000000000000'])}`],
    [`cursor=${encoded([1, 2])}`],
    [`cursor=${encoded({})}`],
  ])('refuses ?%s with 400', async (query) => {
    const answer = await gateway.tryAdmin(`GET /approvals?${query}`);
    expect(answer.body).toEqual({
      error: expect.stringMatching(/^(\w+: .+|URL must not contain NUL characters)$/),
      statusCode: 400,
    });
    expect(answer.status).toBe(400);
  });

  it('shows nothing to another user', async () => {
    const page = await gateway.tryAdmin<ActionPage>('GET /approvals?status=ALL', undefined, stranger);
    expect(page.body).toEqual({ items: [], nextCursor: null });
  });
});

describe('a decision', () => {
  it('approves with a note, and opens the window of an hour', async () => {
    const { action_id } = await gateway.hold({ targetUrl: target('/decide/1') });
    const action = await gateway.approve(action_id, 'fine by me');
    expect(action).toMatchObject({
      status: 'APPROVED',
      resolved_by: { name: 'Ada' },
      resolution_note: 'fine by me',
    });
    expect(Date.parse(action.approvalExpiresAt!) - Date.parse(action.resolved_at!)).toBe(3_600_000);
    expect(await get(action_id)).toEqual(action);
  });

  it('denies with a note, which the agent gets', async () => {
    const { action_id } = await gateway.hold({ targetUrl: target('/decide/2') });
    const action = await gateway.deny(action_id, 'use the archive instead');
    expect(action).toMatchObject({ status: 'DENIED', approvalExpiresAt: null, resolved_by: { name: 'Ada' } });
    expect((await gateway.status(action_id)).json()).toMatchObject({ resolution_note: 'use the archive instead' });
  });

  it('needs no note and no body', async () => {
    const { action_id } = await gateway.hold({ targetUrl: target('/decide/3') });
    const answer = await gateway.tryAdmin<Action>(`PATCH /approvals/${action_id}/approve`);
    expect([answer.status, answer.body.resolution_note]).toEqual([200, null]);
  });

  it('is final: 409 with the status', async () => {
    const approved = (await gateway.hold({ targetUrl: target('/decide/4') })).action_id;
    const denied = (await gateway.hold({ targetUrl: target('/decide/5') })).action_id;
    await gateway.approve(approved);
    await gateway.deny(denied);
    for (const [id, status] of [
      [approved, 'APPROVED'],
      [denied, 'DENIED'],
    ]) {
      for (const verb of ['approve', 'deny']) {
        const answer = await gateway.tryAdmin(`PATCH /approvals/${id}/${verb}`, {});
        expect(answer.body).toEqual({ error: `Action is already ${status}`, statusCode: 409 });
      }
    }
    await gateway.execute(approved);
    const executed = await gateway.tryAdmin(`PATCH /approvals/${approved}/deny`, {});
    expect(executed.body).toEqual({ error: 'Action is already EXECUTED', statusCode: 409 });
  });

  it.each([
    ['a note over 1000 characters', { note: 'x'.repeat(1001) }],
    ['a note that is no text', { note: 1 }],
  ])('is refused for %s, and nothing changes', async (_name, body) => {
    const { action_id } = await gateway.hold({ targetUrl: target('/decide/6') });
    const answer = await gateway.tryAdmin(`PATCH /approvals/${action_id}/approve`, body);
    expect(answer.body).toEqual({ error: expect.stringMatching(/^note: /), statusCode: 400 });
    expect((await get(action_id)).status).toBe('PENDING');
  });

  it.each(['GET ', 'GET context', 'PATCH approve', 'PATCH deny'])(
    'and every other look (%s) at what is not there or another user’s: 404',
    async (route) => {
      const [method, end] = route.split(' ');
      const { action_id } = await gateway.hold({ targetUrl: target('/decide/7') });
      for (const [id, token] of [
        [action_id, stranger],
        ['00000000-0000-4000-8000-000000000000', gateway.token],
        ['no-uuid', gateway.token],
      ]) {
        const path = `/approvals/${id}${end ? `/${end}` : ''}`;
        const answer = await gateway.tryAdmin(`${method} ${path}`, method === 'PATCH' ? {} : undefined, token);
        expect(answer.body).toEqual({ error: 'Action not found', statusCode: 404 });
      }
      expect((await get(action_id)).status).toBe('PENDING');
    },
  );
});

describe('the context of an action', () => {
  const contextOf = (id: string) => gateway.admin<ActionContext>(`GET /approvals/${id}/context`);
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

  it('says what is new: nothing is documented, nothing was sent before', async () => {
    const { action_id } = await hold('/contacts/1');
    expect(await contextOf(action_id)).toEqual({
      operation: null,
      novelty: { agentCreatedAt: expect.any(String), earlierRequests: 0, earlierSameMethod: 0 },
      similar: [],
      allowSimilar: {
        methods: ['DELETE'],
        pathPattern: '/contacts/*',
        agentIds: [agentId],
        matched: 1,
        of: 1,
        overruledBy: null,
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
          '/contacts/{name}/tags/{tag}': { delete: { operationId: 'untag' } },
        },
      }),
    });
    const { action_id } = await hold('/contacts/frank');
    const context = await contextOf(action_id);
    expect(context.operation).toEqual({
      documentId: document.id,
      documentTitle: 'CRM API',
      method: 'DELETE',
      path: '/contacts/{id}',
      operationId: 'deleteContact',
      summary: 'Delete a contact',
      description: 'For ever.',
    });
    // "frank" looks like a word; that it says which one, only the document knows.
    expect(context.allowSimilar!.pathPattern).toBe('/contacts/*');
    expect((await get(action_id)).summary).toBe('DELETE contact frank');
    const other = await contextOf((await hold('/unknown/1')).action_id);
    expect(other.operation).toBeNull();
  });

  it('counts what the agent has sent to this service before', async () => {
    gateway.model.answer({ score: 0 });
    const read = { targetUrl: `${gateway.upstream.url}/crm/contacts/5` };
    await gateway.proxy(read, { 'Agent-Key': agentKey });
    await gateway.proxy(read, { 'Agent-Key': agentKey });
    await gateway.proxy({ ...read, method: 'DELETE' }, { 'Agent-Key': agentKey });
    const { novelty } = await contextOf((await hold('/contacts/6')).action_id);
    expect(novelty).toMatchObject({ earlierRequests: 3, earlierSameMethod: 1 });
  });

  it('shows the latest decisions about the same kind of request, newest first', async () => {
    const approved = (await hold('/deals/1')).action_id;
    const denied = (await hold('/deals/2')).action_id;
    await gateway.approve(approved, 'was fine');
    await gateway.deny(denied, 'not this one');
    await gateway.deny((await hold('/deals/3/notes/1')).action_id);
    await gateway.deny((await hold('/deals/3', 'PUT')).action_id);
    await hold('/deals/4');
    const { similar } = await contextOf((await hold('/deals/5')).action_id);
    expect(similar).toEqual([
      expect.objectContaining({
        action_id: denied,
        status: 'DENIED',
        summary: 'DELETE deal 2',
        intent: 'clean up',
        resolved_by: { id: expect.any(Number), name: 'Ada' },
        resolution_note: 'not this one',
      }),
      expect.objectContaining({ action_id: approved, status: 'APPROVED', resolution_note: 'was fine' }),
    ]);
  });

  it('says how much "allow similar" would let through, and names a stronger rule', async () => {
    await hold('/orders/1');
    await hold('/orders/2');
    const { action_id } = await hold('/orders/3');
    const before = (await contextOf(action_id)).allowSimilar!;
    expect(before).toMatchObject({ pathPattern: '/orders/*', matched: 3, overruledBy: null });
    expect(before.of).toBeGreaterThan(before.matched);
    const rule = await gateway.admin<{ id: number }>(`POST ${rules()}`, {
      name: 'ask before every delete',
      effect: 'require_approval',
      methods: ['DELETE'],
    });
    expect((await contextOf(action_id)).allowSimilar!.overruledBy).toBe('ask before every delete');
    await gateway.admin(`DELETE ${rules()}/${rule.id}`);

    // The rule that it proposes does what it says.
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
    'proposes no rule for %s, whose pattern would let more through than its reader thinks',
    async (path) => {
      const { allowSimilar } = await contextOf((await hold(path)).action_id);
      expect(allowSimilar).toBeNull();
    },
  );

  it('is still there when agent and service are gone', async () => {
    const { action_id } = await hold('/contacts/8');
    await gateway.admin(`DELETE /agents/${agentId}`);
    await gateway.admin(`DELETE /services/${service.id}`);
    expect(await contextOf(action_id)).toEqual({
      operation: null,
      novelty: { agentCreatedAt: null, earlierRequests: 0, earlierSameMethod: 0 },
      similar: [],
      allowSimilar: null,
      injectedHeaders: [],
    });
  });
});

describe('deleting an agent', () => {
  it('closes its open actions and keeps its name on them', async () => {
    const { agent, apiKey } = await gateway.createAgent('short-lived', [gateway.service.id]);
    const hold = (path: string) => gateway.hold({ targetUrl: target(path) }, { 'Agent-Key': apiKey });
    const [pending, approved, denied] = [await hold('/gone/1'), await hold('/gone/2'), await hold('/gone/3')];
    await gateway.approve(approved.action_id);
    await gateway.deny(denied.action_id);
    await gateway.admin(`DELETE /agents/${agent.id}`);
    expect(await get(pending.action_id)).toMatchObject({ status: 'EXPIRED', agent: { id: null, name: 'short-lived' } });
    expect((await get(approved.action_id)).status).toBe('EXPIRED');
    expect((await get(denied.action_id)).status).toBe('DENIED');
    const answer = await gateway.tryAdmin(`PATCH /approvals/${pending.action_id}/approve`, {});
    expect(answer.body).toEqual({ error: 'Action is already EXPIRED', statusCode: 409 });
  });
});

/** Last, since they move the clock. */
describe('expiry', () => {
  const storedStatus = async (id: string): Promise<string> => {
    const [{ status }] = await gateway.app.database.query<{ status: string }[]>(
      'SELECT status FROM actions WHERE id = $1',
      [id],
    );
    return status;
  };

  it('of an undecided action holds at its moment, before the job has come by', async () => {
    const { action_id } = await gateway.hold({ targetUrl: target('/late/1') });
    gateway.app.clock.advance({ hours: 24, seconds: -5 });
    await gateway.logInAgain();
    expect((await get(action_id)).status).toBe('PENDING');
    gateway.app.clock.advance({ seconds: 5 });
    expect((await get(action_id)).status).toBe('EXPIRED');
    expect((await gateway.status(action_id)).json()).toEqual({ status: 'EXPIRED', action_id });
    expect(ids(await list('limit=200'))).not.toContain(action_id);
    expect(ids(await list('limit=200&status=EXPIRED'))).toContain(action_id);
    for (const verb of ['approve', 'deny']) {
      const answer = await gateway.tryAdmin(`PATCH /approvals/${action_id}/${verb}`, {});
      expect(answer.body).toEqual({ error: 'Action is already EXPIRED', statusCode: 409 });
    }
    expect(await storedStatus(action_id)).toBe('PENDING');
  });

  it('of an approval holds at its moment too', async () => {
    const { action_id } = await gateway.hold({ targetUrl: target('/late/2') });
    await gateway.approve(action_id);
    gateway.app.clock.advance({ minutes: 60 });
    await gateway.logInAgain();
    expect((await get(action_id)).status).toBe('EXPIRED');
    expect((await gateway.status(action_id)).json()).toEqual({ status: 'EXPIRED', action_id });
    expect(ids(await list('limit=200&status=APPROVED'))).not.toContain(action_id);
  });

  it('makes the same request a new one', async () => {
    const first = await gateway.hold({ targetUrl: target('/late/3') });
    gateway.app.clock.advance({ hours: 24 });
    await gateway.logInAgain();
    const second = await gateway.hold({ targetUrl: target('/late/3') });
    expect(second.action_id).not.toBe(first.action_id);
    expect((await get(second.action_id)).times_asked).toBe(1);
  });

  it('is written down by the job, which leaves all others alone', async () => {
    const approved = (await gateway.hold({ targetUrl: target('/late/4') })).action_id;
    const undecided = (await gateway.hold({ targetUrl: target('/late/5') })).action_id;
    const denied = (await gateway.hold({ targetUrl: target('/late/6') })).action_id;
    await gateway.approve(approved);
    await gateway.deny(denied);
    const queue = gateway.app.app.get(ApprovalQueue);
    await queue.expire();
    expect([await storedStatus(approved), await storedStatus(undecided)]).toEqual(['APPROVED', 'PENDING']);
    gateway.app.clock.advance({ hours: 1 });
    expect(await queue.expire()).toBe(1);
    expect([await storedStatus(approved), await storedStatus(undecided)]).toEqual(['EXPIRED', 'PENDING']);
    gateway.app.clock.advance({ hours: 23 });
    expect(await queue.expire()).toBeGreaterThanOrEqual(1);
    expect([await storedStatus(undecided), await storedStatus(denied)]).toEqual(['EXPIRED', 'DENIED']);
    expect(await queue.expire()).toBe(0);
  });
});
