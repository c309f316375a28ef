import type {
  Action,
  ActionContext,
  Backtest,
  ExceptionCondition,
  HeldResponse,
  PossibleException,
  RiskRule,
} from '#contracts';
import { PASSWORD } from './support/accounts.js';
import { startGateway, type Gateway, type ProxyBody } from './support/gateway.js';
import { signUp } from './support/resources.js';
import { team, type Team } from './support/team.js';

/** Rules that lift other rules for a time, made from an approval. */
let gateway: Gateway;
let people: Team;
let asking: RiskRule;
let actionId: string;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  people = team(gateway);
  await people.join('otto', 'auditor');
  await people.join('abby', 'approver');
});
afterAll(() => gateway?.close());

const rules = () => `/services/${gateway.service.id}/risk-rules`;
let customers = 0;
const removal = (): Partial<ProxyBody> => ({
  method: 'DELETE',
  targetUrl: `${gateway.upstream.url}/v1/customers/${1000 + ++customers}`,
});
const send = async () => (await gateway.proxy(removal())).status;
const addRule = (fields: object) =>
  gateway.admin<RiskRule>(`POST ${rules()}`, { name: 'Ask', effect: 'require_approval', ...fields });
const lift = (fields: object = {}) => ({
  name: 'Similar',
  effect: 'allow',
  exceptionTo: [asking.id],
  fromAction: actionId,
  expiresInMinutes: 60,
  ...fields,
});

beforeEach(async () => {
  gateway.model.answer({ score: 0, explanation: 'harmless' });
  for (const { id } of await gateway.admin<RiskRule[]>(`GET ${rules()}`))
    await gateway.admin(`DELETE ${rules()}/${id}`);
  asking = await addRule({ methods: ['DELETE'] });
  actionId = (await gateway.proxy(removal())).json<HeldResponse>().action_id;
});

describe('a rule that asks', () => {
  it.each([
    ['one approval of anyone', { effect: 'require_approval' }, 'temporary'],
    ['two approvals', { effect: 'require_approval', approvals: 2 }, 'none'],
    ['nothing', { effect: 'deny' }, 'none'],
  ])('for %s has its default', async (_case, fields, exceptions) => {
    expect((await addRule({ name: 'D', pathPattern: '/never', ...fields })).exceptions).toBe(exceptions);
  });

  it('can be a hard one, and is from the moment on when it asks several people', async () => {
    expect((await addRule({ name: 'H', pathPattern: '/never', exceptions: 'none' })).exceptions).toBe('none');
    const changed = await gateway.admin<RiskRule>(`PUT ${rules()}/${asking.id}`, { approvals: 2 });
    expect([changed.approvals, changed.exceptions]).toEqual([2, 'none']);
  });

  it.each([
    [{ effect: 'deny', exceptions: 'temporary' }],
    [{ effect: 'require_approval', approvals: 2, exceptions: 'temporary' }],
  ])('permits none as %j', async (fields) => {
    const answer = await gateway.tryAdmin(`POST ${rules()}`, { name: 'R', ...fields });
    expect([answer.status, answer.body.error]).toEqual([
      400,
      'exceptions: only a rule that asks for one approval of anyone can have exceptions',
    ]);
    const put = await gateway.tryAdmin(`PUT ${rules()}/${asking.id}`, fields);
    expect([put.status, put.body.error]).toEqual([
      400,
      'exceptions: only a rule that asks for one approval of anyone can have exceptions',
    ]);
  });
});

describe('an exception', () => {
  it('lets similar requests pass, and is limited to its request by the gateway', async () => {
    expect(await send()).toBe(428);
    const rule = await gateway.admin<RiskRule>(`POST ${rules()}`, lift());
    expect(rule).toMatchObject({
      methods: ['DELETE'],
      agentIds: [gateway.agent.id],
      pathPattern: '/customers/*',
      when: expect.stringMatching(/^size\(request\.query\) == 0 && request\.body == null && request\.headers\.all/),
      exceptionTo: [asking.id],
      fromAction: actionId,
    });
    expect(await send()).toBe(200);
    const [record] = await gateway.audit('&kind=change');
    expect(record.details).toMatchObject({ rule: { id: rule.id, exceptionTo: [asking.id], fromAction: actionId } });
  });

  it('is offered with the request', async () => {
    const { allowSimilar } = await gateway.admin<ActionContext>(`GET /approvals/${actionId}/context`);
    expect(allowSimilar).toMatchObject({ pathPattern: '/customers/*', overruledBy: 'Ask' });
    expect(allowSimilar!.exception).toEqual<PossibleException>({
      exceptionTo: [asking.id],
      rules: ['Ask'],
      conditions: [
        { text: 'size(request.query) == 0', mayVary: false },
        { text: 'request.body == null', mayVary: false },
        { text: expect.stringMatching(/^request\.headers\.all\(k, k in \["accept", /), mayVary: false },
      ],
      maxHours: 24,
    });
    expect(allowSimilar!.noException).toBeNull();
  });

  it.each<[object, string]>([
    [{ exceptions: 'none' }, 'hard_rule'],
    [{ approvals: 2 }, 'hard_rule'],
    [{ effect: 'deny' }, 'denied'],
  ])('is not offered for a rule with %j, and the context says why', async (change, why) => {
    await addRule({ name: 'Soft' });
    await gateway.admin(`PUT ${rules()}/${asking.id}`, change);
    const { allowSimilar } = await gateway.admin<ActionContext>(`GET /approvals/${actionId}/context`);
    expect(allowSimilar).toMatchObject({ exception: null, noException: { why, because: null, rules: ['Ask'] } });
  });

  it('is not offered where the values of the request can’t be limited', async () => {
    await addRule({ name: 'Writes', methods: ['PUT'] });
    const targetUrl = `${gateway.upstream.url}/v1/customers/${1000 + ++customers}`;
    const headers = { 'Content-Type': 'text/plain' };
    const held = await gateway.proxy({ method: 'PUT', targetUrl, headers, body: 'any' });
    const path = `GET /approvals/${held.json<HeldResponse>().action_id}/context`;
    const { allowSimilar } = await gateway.admin<ActionContext>(path);
    expect(allowSimilar).toMatchObject({
      values: null,
      exception: null,
      noException: { why: 'values', because: 'content_type', rules: ['Writes'] },
    });
  });

  it('is about the rules that hold the request, and not about others with a condition', async () => {
    const other = await addRule({ name: 'Large', when: 'request.body.amount > 100' });
    const context = () => gateway.admin<ActionContext>(`GET /approvals/${actionId}/context`);
    // No body: the condition can't be decided, and counts as true.
    expect((await context()).allowSimilar!.exception!.rules).toEqual(['Ask', 'Large']);
    await gateway.admin(`PUT ${rules()}/${other.id}`, { when: 'request.query.exists(k, k == "all")' });
    expect((await context()).allowSimilar!.exception!.rules).toEqual(['Ask']);
    const answer = await gateway.tryAdmin(`POST ${rules()}`, lift({ exceptionTo: [asking.id, other.id] }));
    expect([answer.status, answer.body.error]).toEqual([
      400,
      'exceptionTo: the request of fromAction does not match "Large"',
    ]);
    await gateway.admin(`DELETE ${rules()}/${asking.id}`);
    expect((await context()).allowSimilar).toMatchObject({ overruledBy: null, exception: null });
  });

  it('can lift a rule for first times, also after the request was sent', async () => {
    const when = 'firstTime && agent.name != "nobody"';
    await gateway.admin(`DELETE ${rules()}/${asking.id}`);
    asking = await addRule({ name: 'First', when });
    const context = () => gateway.admin<ActionContext>(`GET /approvals/${actionId}/context`);
    const targetUrl = `${gateway.upstream.url}/v1/first-times/${asking.id}`;
    actionId = (await gateway.proxy({ method: 'DELETE', targetUrl })).json<HeldResponse>().action_id;
    expect((await context()).allowSimilar).toMatchObject({ overruledBy: 'First', exception: { rules: ['First'] } });
    await gateway.approve(actionId);
    expect((await gateway.execute(actionId)).status).toBe(200);
    expect((await context()).allowSimilar).toMatchObject({ overruledBy: null, exception: null });
    expect((await gateway.tryAdmin(`POST ${rules()}`, lift())).status).toBe(201);
  });

  it('lifts nothing else', async () => {
    await gateway.admin(`POST ${rules()}`, lift());
    const second = await addRule({ name: 'Also' });
    expect(await send()).toBe(428);
    await gateway.admin(`PUT ${rules()}/${second.id}`, { effect: 'deny' });
    expect(await send()).toBe(403);
  });

  it.each([[{ exceptions: 'none' }], [{ approvals: 2 }], [{ approverIds: [1] }]])(
    'ends when the rule becomes %j, from the next request on',
    async (change) => {
      await gateway.admin(`POST ${rules()}`, lift());
      expect(await send()).toBe(200);
      await gateway.admin(`PUT ${rules()}/${asking.id}`, change);
      expect(await send()).toBe(428);
    },
  );

  it('is used as often as it says, also by requests at once', async () => {
    await gateway.admin(`POST ${rules()}`, lift({ maxUses: 3 }));
    const statuses = await Promise.all(Array.from({ length: 8 }, send));
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 428)).toHaveLength(5);
  });

  it('can be renamed and ended, and is otherwise as it was made', async () => {
    const { id } = await gateway.admin<RiskRule>(`POST ${rules()}`, lift());
    const put = (body: object) => gateway.tryAdmin<RiskRule & { error: string }>(`PUT ${rules()}/${id}`, body);
    for (const body of [
      { when: '' },
      { pathPattern: '' },
      { methods: [] },
      { agentIds: [] },
      { effect: 'guidance', instruction: 'x' },
    ]) {
      const answer = await put(body);
      expect([body, answer.status, answer.body.error]).toEqual([
        body,
        400,
        expect.stringContaining('an exception stays as it was made'),
      ]);
    }
    for (const body of [{ expiresAt: null }, { expiresInMinutes: 25 * 60 }]) {
      const answer = await put(body);
      expect([answer.status, answer.body.error]).toEqual([400, 'expiresAt: an exception lasts at most 24 hours']);
    }
    expect((await put({ name: 'Renamed', expiresInMinutes: 5 })).status).toBe(200);
    expect((await put({ isActive: false })).status).toBe(200);
    expect(await send()).toBe(428);
  });

  it('is not exported', async () => {
    await gateway.admin(`POST ${rules()}`, lift());
    const path = `${gateway.url}/workspaces/${people.workspaceId}/export`;
    const yaml = await (await fetch(path, { headers: { Authorization: `Bearer ${gateway.token}` } })).text();
    expect([yaml.includes('Similar'), yaml.includes('exceptions: temporary')]).toEqual([false, true]);
  });
});

describe('making an exception', () => {
  const NO_ACTION = '00000000-0000-4000-8000-000000000000';

  it.each<[string, () => object, number, string]>([
    [
      'with another effect',
      () => ({ effect: 'deny' }),
      400,
      'exceptionTo: only a rule with the effect allow can be an exception',
    ],
    ['from nothing', () => ({ fromAction: undefined }), 400, 'fromAction: is required for an exception'],
    ['from no id', () => ({ fromAction: 'x' }), 400, 'fromAction: '],
    ['to nothing', () => ({ exceptionTo: [] }), 400, 'fromAction: only an exception is made from an action'],
    ['to no id', () => ({ exceptionTo: [0] }), 400, 'exceptionTo: '],
    ['to an unknown rule', () => ({ exceptionTo: [2147483647] }), 404, 'Risk rule not found'],
    ['from an unknown action', () => ({ fromAction: NO_ACTION }), 404, 'Action not found'],
    ['without an end', () => ({ expiresInMinutes: undefined }), 400, 'expiresAt: an exception lasts at most 24 hours'],
    ['for too long', () => ({ expiresInMinutes: 25 * 60 }), 400, 'expiresAt: an exception lasts at most 24 hours'],
    ['for another method', () => ({ methods: ['DELETE', 'POST'] }), 400, 'methods: an exception is for DELETE'],
    [
      'for another agent',
      () => ({ agentIds: [gateway.agent.id, 999] }),
      400,
      'agentIds: an exception is for the agent',
    ],
    ['for another path', () => ({ pathPattern: '/**' }), 400, 'pathPattern: must be one of /customers/*'],
    [
      'without its limits',
      () => ({ when: 'true' }),
      400,
      'when: must have these, joined with &&: size(request.query) == 0',
    ],
    ['with half of its limits', () => ({ when: 'request.body == null' }), 400, 'when: must have these'],
    [
      'with an alternative',
      () => ({ when: 'size(request.query) == 0 && request.body == null || true' }),
      400,
      'when: ',
    ],
  ])('is refused %s', async (_case, fields, status, error) => {
    const answer = await gateway.tryAdmin(`POST ${rules()}`, lift(fields()));
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(error)]);
  });

  it('is refused for a hard rule', async () => {
    await gateway.admin(`PUT ${rules()}/${asking.id}`, { exceptions: 'none' });
    const answer = await gateway.tryAdmin(`POST ${rules()}`, lift());
    expect([answer.status, answer.body.error]).toEqual([400, 'exceptionTo: nothing can lift "Ask"']);
  });

  it('keeps to the workspace and the service', async () => {
    const eve = await signUp(gateway.app, `eve-${asking.id}@example.com`);
    expect((await gateway.tryAdmin(`POST ${rules()}`, lift(), eve)).status).toBe(404);
    const other = await gateway.createService({ name: `Other ${asking.id}` });
    const path = `/services/${other.id}/risk-rules`;
    expect((await gateway.tryAdmin(`POST ${path}`, lift())).body.error).toBe('Action not found');
    const theirs = await gateway.admin<RiskRule>(`POST ${path}`, { name: 'Ask', effect: 'require_approval' });
    const answer = await gateway.tryAdmin(`POST ${path}`, lift({ exceptionTo: [theirs.id] }));
    expect([answer.status, answer.body.error]).toEqual([404, 'Action not found']);
  });

  it('is for approvers, with the confirmation that approving needs', async () => {
    expect((await people.as('otto', `POST ${rules()}`, lift())).status).toBe(403);
    await gateway.app.database.query('UPDATE workspaces SET confirm_from_risk = 0.1 WHERE id = $1', [
      people.workspaceId,
    ]);
    try {
      const refused = await people.as('abby', `POST ${rules()}`, lift());
      expect([refused.status, refused.headers.get('X-Error-Code')]).toEqual([403, 'confirmation_required']);
      await people.as('abby', 'POST /auth/confirm', { password: PASSWORD });
      expect((await people.as('abby', `POST ${rules()}`, lift())).status).toBe(201);
    } finally {
      await gateway.app.database.query('UPDATE workspaces SET confirm_from_risk = NULL WHERE id = $1', [
        people.workspaceId,
      ]);
    }
  });

  it('caps the values of the body', async () => {
    const ask = await addRule({ name: 'Refunds', methods: ['POST'], pathPattern: '/refunds' });
    const held = await gateway.proxy({
      method: 'POST',
      targetUrl: `${gateway.upstream.url}/v1/refunds`,
      headers: { 'Content-Type': 'application/json' },
      body: '{"amount":50,"currency":"EUR","charge_id":"ch_1"}',
      idempotencyKey: `refund-${asking.id}`,
    });
    const { action_id: fromAction } = held.json<HeldResponse>();
    expect((await gateway.admin<Action>(`GET /approvals/${fromAction}`)).status).toBe('PENDING');
    const { allowSimilar } = await gateway.admin<ActionContext>(`GET /approvals/${fromAction}/context`);
    const { conditions } = allowSimilar!.exception!;
    const joined = (kept: ExceptionCondition[]): string => kept.map(({ text }) => text).join(' && ');
    const fixed = conditions.filter(({ mayVary }) => !mayVary);
    expect(joined(conditions)).toContain('request.body.amount > 0 && request.body.amount <= 50');
    expect(conditions.filter(({ mayVary }) => mayVary)).toMatchObject([{ text: 'request.body.charge_id == "ch_1"' }]);
    const body = lift({ exceptionTo: [ask.id], fromAction });
    const strict = await gateway.admin<RiskRule>(`POST ${rules()}`, body);
    expect(strict.when).toBe(joined(conditions));
    const wider = await gateway.admin<RiskRule>(`POST ${rules()}`, { ...body, when: joined(fixed) });
    expect(wider.when).toBe(joined(fixed));
    const uncapped = await gateway.tryAdmin(`POST ${rules()}`, { ...body, when: joined(fixed.slice(0, 3)) });
    expect([uncapped.status, uncapped.body.error]).toEqual([400, expect.stringContaining('request.body.amount <= 50')]);
  });
});

describe('the backtest of an exception', () => {
  async function tried(who: string): Promise<[matched: number, of: number, saved: number]> {
    const { allowSimilar } = await gateway.admin<ActionContext>(`GET /approvals/${actionId}/context`);
    const when = allowSimilar!.values!.map(({ text }) => text).join(' && ');
    const { methods, pathPattern, agentIds } = allowSimilar!;
    const rule = { name: 'Similar', effect: 'allow', exceptionTo: [asking.id], fromAction: actionId };
    const body = { rule: { ...rule, methods, pathPattern, agentIds, when } };
    const answer = await people.as<Backtest>(who, `POST ${rules()}/backtest`, body);
    expect(answer.status).toBe(200);
    const { matched, ownApprovals } = answer.body;
    return [matched, ownApprovals.of, ownApprovals.saved];
  }
  const approve = (who: string, id: string) => people.as(who, `PATCH /approvals/${id}/approve`);

  it('says how many of their own approvals it would have saved the person who asks', async () => {
    const before = { abby: await tried('abby'), ada: await tried('ada') };
    const added = async (who: 'abby' | 'ada') => (await tried(who)).map((count, at) => count - before[who][at]);
    const hold = async (path: string) =>
      (await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/${path}/${1000 + ++customers}` })).action_id;
    await approve('abby', actionId);
    await approve('ada', await hold('customers'));
    await people.as('abby', `PATCH /approvals/${await hold('customers')}/deny`);
    await approve('abby', await hold('orders'));
    // Of Abby's two approvals one matches. Of the two other requests that match, Ada approved one.
    expect([await added('abby'), await added('ada')]).toEqual([
      [2, 2, 1],
      [2, 1, 1],
    ]);
    // Where another rule still asks, it saves nothing.
    await addRule({ name: 'Also', exceptions: 'none' });
    expect((await tried('abby'))[2]).toBe(0);
  });
});
