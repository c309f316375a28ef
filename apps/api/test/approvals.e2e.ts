import type { Action, ActionCounts, ActionPage, HeldResponse, Service } from '#contracts';
import { login, register } from './support/accounts.js';
import { startGateway, type Gateway } from './support/gateway.js';

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

  it('lists the pending actions, newest first', async () => {
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
    ['% and _ as literal characters', () => 'q=100%25', [2]],
    ['_ as a literal character', () => 'q=entry_three', [3]],
    ['text in the name of the service', () => 'q=ledger&method=PUT', [4, 2]],
    ['all filters together', () => `serviceId=${service.id}&method=DELETE&minRisk=0.65&q=five`, [5]],
  ])('filters by %s', async (_name, query, expected) => {
    expect(ids(await own(query()))).toEqual(pick(...expected));
  });

  it('sorts by risk and by expiry', async () => {
    const byRisk = (await own('sort=risk')).items.map(({ risk_score }) => risk_score);
    expect(byRisk).toEqual([...byRisk].sort((a, b) => b - a));
    expect(ids(await own('sort=risk'))[0]).toBe(held[4].action_id);
    expect(ids(await own('sort=expiry'))).toEqual(pick(1, 2, 3, 4, 5));
  });

  it('puts a critical action with 50 minutes left above a mild one with 23 hours', async () => {
    const waiting = async (name: string, score: number, askedMinutesAgo: number, minutesLeft: number) => {
      gateway.model.answer({ score });
      const answer = await gateway.proxy({ method: 'DELETE', targetUrl: target(`/urgent/${name}`), intent: 'urgency' });
      const { action_id } = answer.json<HeldResponse>();
      await gateway.app.database.query(
        `UPDATE actions SET created_at = now() - make_interval(mins => $2), expires_at = now() + make_interval(mins => $3) WHERE id = $1`,
        [action_id, askedMinutesAgo, minutesLeft],
      );
      return action_id;
    };
    const mild = await waiting('mild', 0.5, 60, 23 * 60);
    const critical = await waiting('critical', 0.95, 23 * 60 + 10, 50);
    const last = await waiting('last', 0.5, 24 * 60 - 2, 2);
    const fresh = await waiting('fresh', 0.95, 5, 24 * 60 - 5);
    const expected = [critical, last, fresh, mild];
    expect(ids(await list('sort=urgent&q=urgency'))).toEqual(expected);
    for (const id of expected) await gateway.deny(id);
  });

  it.each(['APPROVED', 'ALL', 'DENIED'])('refuses sort=urgent for %s, which has no deadline', async (status) => {
    const answer = await gateway.tryAdmin(`GET /approvals?sort=urgent&status=${status}`);
    expect(answer).toMatchObject({ status: 400, body: { error: 'sort: urgent needs the status PENDING' } });
  });

  it.each(['newest', 'risk', 'expiry', 'urgent'])(
    'pages by a cursor without gaps or repeats, sorted by %s',
    async (sort) => {
      const whole = ids(await own(`sort=${sort}`));
      const paged: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: ActionPage = await own(`sort=${sort}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
        expect(page.items.length).toBeLessThanOrEqual(2);
        paged.push(...ids(page));
        cursor = page.nextCursor;
      }
      expect(paged).toEqual(whole);
    },
  );

  it('shows history by status, and every action with ALL', async () => {
    await gateway.deny(held[0].action_id);
    await gateway.approve(held[1].action_id);
    expect(ids(await own())).toEqual(pick(5, 4, 3));
    expect(ids(await own('status=DENIED'))).toEqual(pick(1));
    expect(ids(await own('status=APPROVED'))).toEqual(pick(2));
    expect(ids(await own('status=EXECUTED'))).toEqual([]);
    expect(ids(await own('status=ALL'))).toEqual(pick(5, 4, 3, 2, 1));
  });

  it('counts the actions that wait for a decision and those that wait for their agent', async () => {
    const counts = () => gateway.admin<ActionCounts>('GET /approvals/counts');
    const before = await counts();
    await gateway.approve(held[2].action_id);
    const { items } = await list('limit=200');
    expect(await counts()).toEqual({
      pending: before.pending - 1,
      waitingForMe: before.waitingForMe - 1,
      approved: before.approved + 1,
      oldestPendingAt: items.at(-1)!.created_at,
      modelFailingSince: null,
    });
    expect(items).toHaveLength(before.pending - 1);
    expect((await gateway.tryAdmin('GET /approvals/counts', undefined, stranger)).body).toEqual({
      pending: 0,
      waitingForMe: 0,
      approved: 0,
      oldestPendingAt: null,
      modelFailingSince: null,
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
  it('approves with a note, and opens the execution window of one hour', async () => {
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

  it('denies with a note that the agent receives', async () => {
    const { action_id } = await gateway.hold({ targetUrl: target('/decide/2') });
    const action = await gateway.deny(action_id, 'use the archive instead');
    expect(action).toMatchObject({ status: 'DENIED', approvalExpiresAt: null, resolved_by: { name: 'Ada' } });
    expect((await gateway.status(action_id)).json()).toMatchObject({ resolution_note: 'use the archive instead' });
  });

  it('works without a note and without a body', async () => {
    const { action_id } = await gateway.hold({ targetUrl: target('/decide/3') });
    const answer = await gateway.tryAdmin<Action>(`PATCH /approvals/${action_id}/approve`);
    expect([answer.status, answer.body.resolution_note]).toEqual([200, null]);
  });

  it('is final: a second one gets 409 with the status', async () => {
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
    ['a note that is not a string', { note: 1 }],
  ])('is refused for %s, and nothing changes', async (_name, body) => {
    const { action_id } = await gateway.hold({ targetUrl: target('/decide/6') });
    const answer = await gateway.tryAdmin(`PATCH /approvals/${action_id}/approve`, body);
    expect(answer.body).toEqual({ error: expect.stringMatching(/^note: /), statusCode: 400 });
    expect((await get(action_id)).status).toBe('PENDING');
  });

  it.each(['GET ', 'GET context', 'PATCH approve', 'PATCH deny'])(
    "can't be found by %s when it does not exist or belongs to another user: 404",
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

describe('an action that can never be executed', () => {
  type Party = { agentId: number; serviceId: number };
  const setActive = (agentId: number, isActive: boolean) => gateway.admin(`PUT /agents/${agentId}`, { isActive });
  const blockers: [string, (of: Party) => Promise<unknown>, string][] = [
    ['its agent is revoked', ({ agentId }) => setActive(agentId, false), 'The agent is revoked'],
    [
      'its agent lost its access',
      ({ agentId }) => gateway.admin(`PUT /agents/${agentId}/services`, { serviceIds: [gateway.service.id] }),
      'The agent no longer has access to this service',
    ],
    [
      'its service was deleted',
      ({ serviceId }) => gateway.admin(`DELETE /services/${serviceId}`),
      'The service was deleted',
    ],
  ];
  /** Two actions of a separate agent at a separate service, the second one approved. */
  const heldTwice = async () => {
    const service = await gateway.createService({ name: 'Fleeting', baseUrl: `${gateway.upstream.url}/fleeting` });
    const { agent, apiKey } = await gateway.createAgent('fleeting', [service.id]);
    const hold = async (path: string) =>
      (await gateway.hold({ targetUrl: `${gateway.upstream.url}/fleeting${path}` }, { 'Agent-Key': apiKey })).action_id;
    const actions = { pending: await hold('/1'), approved: await hold('/2') };
    await gateway.approve(actions.approved);
    return { ...actions, agentId: agent.id, serviceId: service.id };
  };

  it.each(blockers)(
    "reports the reason when %s, can't be approved, and can be denied",
    async (_name, block, reason) => {
      const held = await heldTwice();
      expect((await get(held.pending)).blocked).toBeNull();
      await block(held);
      expect([(await get(held.pending)).blocked, (await get(held.approved)).blocked]).toEqual([reason, reason]);
      const listed = (await list('limit=200')).items.find(({ action_id }) => action_id === held.pending);
      expect(listed).toEqual(await get(held.pending));
      const refused = await gateway.tryAdmin(`PATCH /approvals/${held.pending}/approve`, {});
      expect(refused.body).toEqual({ error: `${reason}: the action can't be approved`, statusCode: 409 });
      expect(refused.headers.get('x-error-code')).toBe('action_blocked');
      expect((await get(held.pending)).status).toBe('PENDING');
      // A closed action has no blocking reason.
      expect(await gateway.deny(held.pending)).toMatchObject({ status: 'DENIED', blocked: null });
    },
  );

  it('can be approved again after its agent is active again', async () => {
    const held = await heldTwice();
    await setActive(held.agentId, false);
    await setActive(held.agentId, true);
    expect((await get(held.pending)).blocked).toBeNull();
    expect((await gateway.approve(held.pending)).status).toBe('APPROVED');
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
