import type { Action, AskedEffect, AssessmentState, CreatedChannel, HeldResponse } from '#contracts';
import { CHANNEL_EVENTS, hears } from '#contracts/channel-states';
import { EFFECTS } from '#contracts/effects';
import { ROLES } from '#contracts/states';
import { hasEffects } from '../src/approvals/held-assessment.js';
import { eventually } from './support/eventually.js';
import { SlackGateway } from './support/slack-gateway.js';
import { pressed, submitted } from './support/slack-hook.js';
import { team } from './support/team.js';

/** Settings that name effects: what they count, and what they change. */
const reach = new SlackGateway();
let path: string;
beforeAll(async () => {
  path = `/workspaces/${team(reach.gateway).workspaceId}`;
  const rule = { name: 'Ask', effect: 'require_approval', methods: ['POST'] };
  await reach.gateway.admin(`POST /services/${reach.gateway.service.id}/risk-rules`, rule);
});
afterEach(async () => {
  await reach.gateway.app.database.query(
    `UPDATE workspaces SET confirm_from_risk = NULL, confirm_effects = '{}', approve_in_notifications_below = NULL`,
  );
  await reach.gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
});

const name = (confirmEffects: AskedEffect[]) => reach.gateway.admin(`PUT ${path}`, { settings: { confirmEffects } });

let serial = 0;
async function hold(what: string): Promise<Action> {
  const answer = await reach.gateway.proxy({
    method: 'POST',
    targetUrl: `${reach.gateway.upstream.url}/v1/${what}`,
    body: JSON.stringify({ note: `number ${++serial}` }),
    idempotencyKey: `named ${serial}`,
  });
  expect(answer.status).toBe(428);
  return reach.gateway.admin<Action>(`GET /approvals/${answer.json<HeldResponse>().action_id}`);
}
const words = ({ effects }: Action) => effects.map(({ effect }) => effect);
const refund = () => hold('refunds');
const comment = () => hold('comments');

const approve = ({ action_id: id, digest }: Action, fields: object = {}) =>
  reach.gateway.tryAdmin<Action & { error: string }>(`PATCH /approvals/${id}/approve`, { digest, ...fields });
const CONFIRM = [403, 'Confirm first that it is you'];
const DASHBOARD = [403, 'This request can be decided in the dashboard only'];

describe('confirmEffects', () => {
  it('asks for a confirmation of what it names, whatever the risk, and of nothing else', async () => {
    await name(['money']);
    const [paid, written] = [await refund(), await comment()];
    expect([words(paid), words(written)]).toEqual([['money', 'write'], ['write']]);
    expect((await approve(written)).status).toBe(200);
    const early = await approve(paid);
    expect([early.status, early.body.error]).toEqual(CONFIRM);
    await reach.confirm();
    expect((await approve(paid)).body.status).toBe('APPROVED');
  });

  it('counts the request before and after a revision', async () => {
    await name(['money']);
    const to = (place: string) => ({ targetUrl: `${reach.gateway.upstream.url}/v1/${place}` });
    for (const [item, change] of [
      [await comment(), to('refunds/1')],
      [await refund(), to('comments/1')],
    ] as const) {
      const revised = await reach.gateway.tryAdmin(`POST /approvals/${item.action_id}/revise`, change);
      expect([revised.status, revised.body.error]).toEqual(CONFIRM);
    }
  });

  it('counts what nobody knows: an unclear request until the model has assessed it, and one without effects', async () => {
    await name(['money']);
    const item = await comment();
    const become = (effects: object[] | null, state: AssessmentState | null) =>
      reach.gateway.app.database.query('UPDATE actions SET effects = $2, assessment_state = $3 WHERE id = $1', [
        item.action_id,
        effects && JSON.stringify(effects),
        state,
      ]);
    const unclear = [{ effect: 'unclear', reason: 'nothing explains it' }];
    for (const [effects, state] of [
      [unclear, 'off'],
      [unclear, 'pending'],
      [unclear, 'failed'],
      [null, 'done'],
      [null, null],
    ] as const) {
      await become(effects && [...effects], state);
      expect((await approve(item)).body.error).toBe(CONFIRM[1]);
    }
    await become(unclear, 'done');
    expect((await approve(item)).status).toBe(200);
  });

  it('keeps what it names out of notifications on devices, also of a person who has confirmed', async () => {
    await reach.gateway.admin(`PUT ${path}`, { settings: { approveInNotificationsBelow: 1 } });
    await name(['money']);
    await reach.confirm();
    const [paid, written] = [await refund(), await comment()];
    const refused = await approve(paid, { from: 'notification' });
    expect([refused.status, refused.body.error]).toEqual(DASHBOARD);
    expect((await approve(written, { from: 'notification' })).status).toBe(200);
    expect((await approve(paid)).status).toBe(200);
  });

  it('keeps what it names out of Slack: no buttons, and no decision by an earlier one', async () => {
    await reach.setUp({ decideBelowRisk: 1 });
    await reach.link();
    await name(['money']);
    const [paid, written] = [await refund(), await comment()];
    const messageOf = ({ action_id: id }: Action) =>
      eventually(() =>
        reach.slack.messages.map(({ blocks }) => JSON.stringify(blocks)).find((text) => text.includes(id)),
      );
    expect(await messageOf(paid)).not.toContain('agw_approve');
    expect(await messageOf(written)).toContain('agw_approve');
    reach.slack.reset();
    await reach.hook(pressed('approve', paid.action_id));
    expect(reach.slack.views).toEqual([]);
    expect(JSON.stringify(reach.slack.ephemeral)).toContain(DASHBOARD[1]);
    // A form that was opened before the setting.
    await reach.hook(pressed('approve', written.action_id));
    await name(['money', 'write']);
    const answer = await reach.hook(submitted(reach.slack.views.at(-1)!));
    expect(JSON.stringify(answer)).toContain(DASHBOARD[1]);
    expect(await reach.readStatus(written.action_id)).toBe('PENDING');
  });

  it('stores each word once, refuses others, and needs a confirmation to name fewer', async () => {
    const put = (confirmEffects: unknown) =>
      reach.gateway.tryAdmin<{ error: string; settings: { confirmEffects: string[] } }>(`PUT ${path}`, {
        settings: { confirmEffects },
      });
    expect((await put(['money', 'delete', 'money'])).body.settings.confirmEffects).toEqual(['delete', 'money']);
    for (const bad of [['read'], ['cash'], 'money', null, ['money', 1]]) {
      const { status, body } = await put(bad);
      expect([status, body.error]).toEqual([400, expect.stringContaining('settings.confirmEffects')]);
    }
    expect((await put(['delete', 'money', 'code'])).status).toBe(200);
    for (const fewer of [['code'], []]) {
      const { status, body } = await put(fewer);
      expect([status, body.error]).toEqual(CONFIRM);
    }
    await reach.confirm();
    expect((await put([])).status).toBe(200);
  });
});

describe('effects of a channel', () => {
  const told = async ({
    id,
  }: CreatedChannel): Promise<{ type: string; about: { actionId: string; effects: string[] } }[]> =>
    reach.gateway.app.database.query(
      `SELECT type, about FROM channel_deliveries WHERE channel_id = $1 ORDER BY occurred_at, type`,
      [id],
    );
  const create = (fields: object) =>
    reach.gateway.admin<CreatedChannel>('POST /channels', {
      type: 'webhook',
      name: 'Money',
      target: `http://${reach.slack.hostAndPort}/money`,
      ...fields,
    });

  it('are told below the risk of the channel, with their decisions; others are not', async () => {
    const channel = await create({ minRisk: 0.95, effects: ['money'] });
    const none = await create({ minRisk: 0.95 });
    const [paid, written] = [await refund(), await comment()];
    for (const { action_id: id } of [paid, written]) await reach.gateway.deny(id);
    const about = expect.objectContaining({ actionId: paid.action_id, effects: ['money', 'write'] });
    expect(await told(channel)).toEqual([
      { type: 'approval.requested', about },
      { type: 'approval.decided', about },
    ]);
    expect(await told(none)).toEqual([]);
  });

  it('are told again after an undo, and name no effect where the list is empty', async () => {
    const channel = await create({ minRisk: 0.95, effects: ['money'] });
    const paid = await refund();
    await approve(paid);
    await reach.gateway.admin(`PATCH /approvals/${paid.action_id}/undo`);
    const types = (await told(channel)).map(({ type }) => type);
    expect(types).toEqual(['approval.requested', 'approval.decided', 'approval.requested']);
    const { effects } = await reach.gateway.admin<CreatedChannel>(`PUT /channels/${channel.id}`, { effects: [] });
    expect(effects).toEqual([]);
    await refund();
    expect(await told(channel)).toHaveLength(types.length);
  });

  it('are stored once each, and only the words that exist', async () => {
    expect((await create({ effects: ['money', 'delete', 'money'] })).effects).toEqual(['delete', 'money']);
    for (const effects of [['read'], ['cash'], 'money']) {
      const body = { type: 'webhook', name: 'x', target: 'https://example.com/', effects };
      const answer = await reach.gateway.tryAdmin<{ error: string }>('POST /channels', body);
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^effects: /)]);
    }
  });
});

it('the predicate of the database and that of the code agree', async () => {
  const lists = [
    null,
    ...EFFECTS.map((effect) => [effect]),
    ['unclear', 'write'],
    ['delete', 'money', 'write'],
  ] as const;
  const states = [null, 'pending', 'done', 'failed', 'off'] as const;
  const named: AskedEffect[][] = [[], ['money'], ['unclear'], ['write'], ['money', 'delete']];
  for (const list of lists) {
    for (const assessmentState of states) {
      for (const words of named) {
        const effects = list && list.map((effect) => ({ effect, reason: '' }));
        const [{ yes }] = await reach.gateway.app.database.query<{ yes: boolean }[]>(
          'SELECT has_effects(effect_words($1), $2, $3) AS yes',
          [effects && JSON.stringify(effects), assessmentState, words],
        );
        expect([list, assessmentState, words, hasEffects({ effects, assessmentState }, words)]).toEqual([
          list,
          assessmentState,
          words,
          yes,
        ]);
      }
    }
  }
});

it('the code and the database agree about who hears of which event', async () => {
  for (const role of ROLES) {
    for (const event of CHANNEL_EVENTS) {
      const [{ hears: stored }] = await reach.gateway.app.database.query<{ hears: boolean }[]>(
        'SELECT may_hear($1, $2) AS hears',
        [role, event],
      );
      expect([role, event, hears(role, event)]).toEqual([role, event, stored]);
    }
  }
});
