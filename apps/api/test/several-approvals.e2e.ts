import type { Action, ActionPage, RiskRule } from '#contracts';
import { call, PASSWORD, type Answer } from './support/accounts.js';
import { openEvents } from './support/event-stream.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { team, type Team } from './support/team.js';

let gateway: Gateway;
let people: Team;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  people = team(gateway);
  await people.join('bo', 'approver');
  await people.join('cy', 'admin');
  await people.join('di', 'auditor');
});
afterAll(() => gateway.close());

let serial = 0;
const setRole = (who: string, role: string) =>
  people.as('ada', `PUT /workspaces/${people.workspaceId}/members/${people.findId(who)}`, { role });
const rule = (fields: object) =>
  people.as<RiskRule & { error: string }>('ada', `POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Ask people',
    effect: 'require_approval',
    ...fields,
  });
/** An action that needs approvals because of a rule of its own. */
async function held(fields: object = {}): Promise<string> {
  const path = `/asked/${++serial}`;
  const made = await rule({ pathPattern: path, ...fields });
  expect(made.status).toBe(201);
  return (await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1${path}` })).action_id;
}
const approve = (who: string, id: string, body: object = {}) =>
  people.as<Action & { error: string }>(who, `PATCH /approvals/${id}/approve`, body);
const deny = (who: string, id: string) => people.as<Action & { error: string }>(who, `PATCH /approvals/${id}/deny`, {});
const seenBy = async (who: string, id: string): Promise<Action> =>
  (await people.as<Action>(who, `GET /approvals/${id}`)).body;

describe('a rule that asks several people', () => {
  it('fixes their number and names on the action', async () => {
    const [bo, cy] = [people.findId('bo'), people.findId('cy')];
    const id = await held({ approvals: 2, approverIds: [bo, cy] });
    expect((await seenBy('ada', id)).approvals).toEqual({
      needed: 2,
      given: [],
      mayApprove: [
        { id: bo, name: 'bo' },
        { id: cy, name: 'cy' },
      ],
      mayApproveCount: 2,
      tooFew: false,
      you: 'may_not',
      whyNot: 'not_named',
    });
    expect((await seenBy('bo', id)).approvals.you).toBe('may_approve');
  });

  it.each([
    [{ approvals: 6 }, 'approvals: must not be greater than 5'],
    [{ approvals: 0 }, 'approvals: must not be less than 1'],
    [{ effect: 'allow', approvals: 2 }, 'approvals: only a rule with the effect require_approval asks several people'],
    [{ effect: 'deny', approverIds: [1] }, 'approverIds: only a rule with the effect require_approval names people'],
    [
      { approvals: 2, approverIds: [1, 1] },
      'approverIds: must name at least 2 people, because that many must approve; this names 1',
    ],
    [{ approverIds: ['bo'] }, /^approverIds: /],
  ])('is refused with %j', async (fields, error) => {
    const { status, body } = await rule(fields);
    expect(status).toBe(400);
    if (typeof error === 'string') expect(body.error).toBe(error);
    else expect(body.error).toMatch(error);
  });

  it('names only members who may approve', async () => {
    const di = people.findId('di');
    const { status, body } = await rule({ approverIds: [people.findId('bo'), di, 999_999] });
    expect([status, body.error]).toEqual([
      400,
      `approverIds: only members who are approver, admin or owner may approve, and ${di}, 999999 may not`,
    ]);
  });

  it('cannot be changed into one that makes no sense', async () => {
    const { body: made } = await rule({ approvals: 2 });
    const path = `PUT /services/${gateway.service.id}/risk-rules/${made.id}`;
    const change = async (fields: object) => (await people.as<{ error: string }>('ada', path, fields)).body.error;
    expect(await change({ effect: 'allow' })).toBe(
      'approvals: only a rule with the effect require_approval asks several people',
    );
    expect(await change({ approverIds: [people.findId('bo')] })).toContain('must name at least 2 people');
    expect((await people.as('ada', path, { effect: 'allow', approvals: 1 })).status).toBe(200);
    await people.as('ada', `DELETE /services/${gateway.service.id}/risk-rules/${made.id}`);
  });
});

describe('approvals', () => {
  it('make the action APPROVED with the last one that is needed, and the agent waits until then', async () => {
    const id = await held({ approvals: 2 });
    const first = await approve('bo', id, { note: 'looks right' });
    expect([first.status, first.body.status]).toEqual([200, 'PENDING']);
    const { approvals } = await seenBy('ada', id);
    expect(approvals).toMatchObject({
      given: [{ id: people.findId('bo'), name: 'bo', note: 'looks right', at: expect.any(String) }],
      mayApprove: [{ name: 'Ada' }, { name: 'cy' }],
      you: 'may_approve',
    });
    expect(Date.parse(approvals.given[0].at)).not.toBeNaN();
    expect((await gateway.status(id)).json().status).toBe('PENDING');
    expect((await gateway.execute(id)).status).toBe(409);

    const { body } = await approve('cy', id);
    expect(body).toMatchObject({ status: 'APPROVED', resolved_by: { name: 'cy' } });
    expect(body.approvals).toMatchObject({ given: [{ name: 'bo' }, { name: 'cy' }], you: 'approved', mayApprove: [] });
    expect((await gateway.execute(id)).status).toBe(200);

    const records = await gateway.audit(`&decision=approved&actionId=${id}`);
    expect(records.map(({ reason, actor, details }) => [reason, actor?.name, details?.note])).toEqual([
      ['action.approved', 'cy', null],
      ['action.approval_given', 'bo', 'looks right'],
    ]);
    expect(records[0].details).toMatchObject({
      digest: body.digest,
      approvals: { needed: 2, given: ['bo', 'cy'] },
    });
  });

  it('come from different people', async () => {
    const id = await held({ approvals: 2 });
    await approve('bo', id);
    const again = await approve('bo', id);
    expect([again.status, again.body.error]).toEqual([409, 'You have already approved this action']);
    expect(again.headers.get('x-error-code')).toBe('already_approved');
    expect((await seenBy('bo', id)).approvals).toMatchObject({ given: [{ name: 'bo' }], you: 'approved' });
  });

  it('end with one denial, also by a person whom the rule does not name', async () => {
    const id = await held({ approvals: 2, approverIds: [people.findId('bo'), people.findId('cy')] });
    await approve('bo', id);
    const { status, body } = await deny('ada', id);
    expect([status, body.status]).toEqual([200, 'DENIED']);
    const late = await approve('cy', id);
    expect([late.status, late.body.error]).toEqual([409, 'Action is already DENIED']);
  });

  it('are refused from people whom the rule does not name, owners too', async () => {
    const id = await held({ approverIds: [people.findId('bo')] });
    const { status, body, headers } = await approve('ada', id);
    expect([status, body.error]).toEqual([403, 'You may not decide this action']);
    expect(headers.get('x-error-code')).toBe('may_not_decide');
    expect((await approve('bo', id)).body.status).toBe('APPROVED');
  });

  it('need the highest number and the people of all matching rules', async () => {
    const path = `/both/${++serial}`;
    await rule({ pathPattern: path, approvals: 2 });
    await rule({ pathPattern: path, approverIds: [people.findId('bo'), people.findId('cy')] });
    await rule({ pathPattern: path, approverIds: [people.findId('cy'), people.findId('ada')] });
    const { action_id: id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1${path}` });
    const { approvals } = await seenBy('ada', id);
    expect(approvals).toMatchObject({ needed: 2, mayApprove: [{ name: 'cy' }], tooFew: true });
    // One of the named people is not enough, and nobody else may approve.
    expect((await approve('cy', id)).body.status).toBe('PENDING');
    expect((await approve('bo', id)).status).toBe(403);
  });

  it('stay the same when the rule changes afterwards', async () => {
    const path = `/fixed/${++serial}`;
    const { body: made } = await rule({ pathPattern: path, approvals: 2 });
    const { action_id: id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1${path}` });
    await people.as('ada', `DELETE /services/${gateway.service.id}/risk-rules/${made.id}`);
    expect((await approve('bo', id)).body.status).toBe('PENDING');
    expect((await approve('cy', id)).body.status).toBe('APPROVED');
  });

  it('count only while the approvers may still decide', async () => {
    const id = await held({ approvals: 2 });
    await approve('bo', id);
    await setRole('bo', 'auditor');
    expect((await seenBy('ada', id)).approvals).toMatchObject({
      given: [],
      mayApprove: [{ name: 'Ada' }, { name: 'cy' }],
    });
    expect((await approve('cy', id)).body).toMatchObject({ status: 'PENDING', approvals: { given: [{ name: 'cy' }] } });
    await setRole('bo', 'approver');
    const { body } = await approve('bo', id);
    expect(body).toMatchObject({ status: 'APPROVED', approvals: { given: [{ name: 'cy' }, { name: 'bo' }] } });
  });

  it('count only for the base URL that the approvers saw', async () => {
    const id = await held({ approvals: 2 });
    const { baseUrl } = gateway.service;
    await approve('bo', id);
    await people.as('ada', `PUT /services/${gateway.service.id}`, { baseUrl: gateway.upstream.url });
    expect((await seenBy('bo', id)).approvals).toMatchObject({ given: [], you: 'may_approve' });
    expect((await approve('cy', id)).body.status).toBe('PENDING');
    await people.as('ada', `PUT /services/${gateway.service.id}`, { baseUrl });
    const { body } = await approve('ada', id);
    expect(body.status).toBe('PENDING');
    expect((await approve('bo', id)).body.approvals.given.map(({ name }) => name)).toEqual(['Ada', 'bo']);
  });

  it('each send a live update to dashboards', async () => {
    const id = await held({ approvals: 2 });
    const events = await openEvents(gateway.url, gateway.token);
    await approve('bo', id);
    expect(await events.next(({ id: of }) => of === id)).toEqual({ type: 'action.updated', id, status: 'PENDING' });
    await approve('cy', id);
    expect(await events.next(({ id: of, status }) => of === id && status === 'APPROVED')).toBeDefined();
    events.close();
  });

  it('that nobody can give are reported by the item and by a live event', async () => {
    const events = await openEvents(gateway.url, gateway.token);
    const id = await held({ approvals: 5 });
    expect(await events.next(({ type }) => type === 'approvers.missing')).toEqual({ type: 'approvers.missing', id });
    events.close();
    expect((await seenBy('ada', id)).approvals).toMatchObject({ needed: 5, mayApproveCount: 3, tooFew: true });
  });
});

describe('the actions that wait for me', () => {
  it('are those that I may approve and have not approved, in the list, the count and the item', async () => {
    const bo = people.findId('bo');
    await held({ approverIds: [bo] });
    const given = await held({ approvals: 2, approverIds: [bo, people.findId('cy')] });
    await approve('bo', given);
    await held({ approverIds: [people.findId('cy')] });
    for (const who of ['ada', 'bo', 'cy', 'di']) {
      const list = async (query: string) =>
        (await people.as<ActionPage>(who, `GET /approvals?limit=100${query}`)).body.items.map(
          ({ action_id }) => action_id,
        );
      const all = (await people.as<ActionPage>(who, 'GET /approvals?limit=100')).body.items;
      const mine = all.filter(({ approvals }) => approvals.you === 'may_approve').map(({ action_id }) => action_id);
      expect([who, await list('&waitingFor=me')]).toEqual([who, mine]);
      const others = all.map(({ action_id }) => action_id).filter((id) => !mine.includes(id));
      expect([who, await list('&waitingFor=others')]).toEqual([who, others]);
      const { body } = await people.as<object>(who, 'GET /approvals/counts');
      expect(body).toMatchObject({ pending: all.length, waitingForMe: mine.length });
    }
  });

  it('are a filter for pending actions only', async () => {
    const { status, body } = await people.as('ada', 'GET /approvals?status=ALL&waitingFor=me');
    expect([status, body]).toMatchObject([400, { error: 'waitingFor: needs the status PENDING' }]);
  });
});

it('an instance of an older release, which knows only single approvals, cannot approve an action that needs two', async () => {
  const id = await held({ approvals: 2 });
  const older = gateway.app.database.query(`UPDATE actions SET status = 'APPROVED' WHERE id = $1`, [id]);
  await expect(older).rejects.toThrow('actions_approved_by_enough');
});

it('a token of an auditor has nothing to approve', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const made = await people.as<{ token: string }>('ada', 'POST /auth/tokens', {
    name: 'reader',
    workspaceId: people.workspaceId,
    role: 'auditor',
    expiresAt,
  });
  const { body } = await call<ActionPage>(gateway.app, 'GET /approvals?limit=100', { token: made.body.token });
  expect(body.items.length).toBeGreaterThan(0);
  expect(body.items.filter(({ approvals }) => approvals.you === 'may_approve')).toEqual([]);
});

describe('a workspace that asks for a confirmation at or above a risk', () => {
  const change = (workspace: object) => people.as('ada', `PUT /workspaces/${people.workspaceId}`, workspace);
  const confirm = (who: string) => people.as(who, 'POST /auth/confirm', { password: PASSWORD });
  const forget = () => gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
  /** Changes the setting as an owner who has confirmed. */
  const confirmFrom = async (confirmFromRisk: number | null) => {
    await confirm('ada');
    await change({ settings: { confirmFromRisk } });
    await forget();
  };
  const REQUIRED = [403, 'confirmation_required'];
  const outcome = async (answer: Promise<Answer<unknown>>) => {
    const { status, headers } = await answer;
    return [status, headers.get('x-error-code')];
  };
  beforeEach(forget);
  afterAll(() => confirmFrom(null));

  it('lets only people who have confirmed approve at or above it', async () => {
    const id = await held();
    const { risk_score: risk } = await seenBy('bo', id);
    await confirmFrom(risk);
    expect(await outcome(approve('bo', id))).toEqual(REQUIRED);
    expect((await seenBy('bo', id)).approvals).toMatchObject({ given: [], you: 'may_approve' });
    await confirm('bo');
    expect((await approve('bo', id)).body.status).toBe('APPROVED');
  });

  it('lets people approve below it, and deny, without a confirmation', async () => {
    await confirmFrom(null);
    const [mild, severe] = [await held(), await held()];
    const { risk_score: risk } = await seenBy('bo', mild);
    await confirmFrom(Math.min(1, risk + 0.01));
    expect((await approve('bo', mild)).status).toBe(200);
    await confirmFrom(0);
    expect((await deny('bo', severe)).status).toBe(200);
  });

  it('refuses a person who may not approve at all, instead of asking for a confirmation', async () => {
    await confirmFrom(null);
    const id = await held({ approverIds: [people.findId('cy')] });
    await confirmFrom(0);
    expect(await outcome(approve('bo', id))).toEqual([403, 'may_not_decide']);
  });

  it('lets only people who have confirmed, and programs of administrators, allow similar requests', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const route = `POST /services/${gateway.service.id}/risk-rules`;
    const similar = { name: 'similar', effect: 'allow', methods: ['HEAD'], expiresAt };
    await confirmFrom(1);
    for (const who of ['bo', 'cy']) {
      expect(await outcome(people.as(who, route, similar))).toEqual(REQUIRED);
      await confirm(who);
      expect((await people.as(who, route, similar)).status).toBe(201);
    }
    const createToken = async (who: string, role: string) => {
      const fields = { name: 'ci', workspaceId: people.workspaceId, role, expiresAt };
      return (await people.as<{ token: string }>(who, 'POST /auth/tokens', fields)).body.token;
    };
    const program = async (who: string, role: string) =>
      outcome(call(gateway.app, route, { token: await createToken(who, role), body: similar }));
    expect(await program('bo', 'approver')).toEqual([403, 'token_not_allowed']);
    expect(await program('cy', 'admin')).toEqual([201, null]);
  });

  it('lets people change a rule only after a confirmation, except to switch off an allow rule', async () => {
    const rules = `/services/${gateway.service.id}/risk-rules`;
    const made = async (fields: object) =>
      `PUT ${rules}/${(await people.as<RiskRule>('cy', `POST ${rules}`, { name: 'r', methods: ['HEAD'], ...fields })).body.id}`;
    await confirmFrom(null);
    const denies = await made({ effect: 'deny' });
    const allows = await made({ effect: 'allow' });
    await confirmFrom(1);
    expect(await outcome(people.as('cy', denies, { effect: 'allow' }))).toEqual(REQUIRED);
    expect(await outcome(people.as('cy', allows, { methods: [] }))).toEqual(REQUIRED);
    expect(await outcome(people.as('cy', allows, { isActive: false }))).toEqual([200, null]);
    expect(await outcome(people.as('cy', allows, { isActive: true }))).toEqual(REQUIRED);
    expect(await outcome(people.as('cy', denies, { pathPattern: '/v1/**' }))).toEqual(REQUIRED);
    expect(await outcome(people.as('cy', denies, { isActive: false }))).toEqual(REQUIRED);
    expect(await outcome(people.as('cy', denies.replace('PUT', 'DELETE')))).toEqual(REQUIRED);
    const guidance = { name: 'new', effect: 'guidance', instruction: 'Score every request 0.' };
    expect(await outcome(people.as('cy', `POST ${rules}`, guidance))).toEqual(REQUIRED);
    await confirm('cy');
    expect(await outcome(people.as('cy', denies, { effect: 'allow' }))).toEqual([200, null]);
  });

  it('lets only owners who have confirmed raise or remove that risk', async () => {
    const set = (confirmFromRisk: number | null) => outcome(change({ settings: { confirmFromRisk } }));
    await confirmFrom(0.5);
    expect(await set(null)).toEqual(REQUIRED);
    expect(await set(0.6)).toEqual(REQUIRED);
    expect(await outcome(change({ name: 'Other', settings: { separationOfDuties: false } }))).toEqual([200, null]);
    expect(await set(0.5)).toEqual([200, null]);
    expect(await set(0.4)).toEqual([200, null]);
    await confirm('ada');
    expect(await set(null)).toEqual([200, null]);
    await forget();
    expect(await set(1)).toEqual([200, null]);
  });
});
