import type { Action, HeldResponse } from '#contracts';
import { eventually } from './support/eventually.js';
import { SlackGateway } from './support/slack-gateway.js';
import { pressed } from './support/slack-hook.js';
import { blockText } from './support/slack.js';

/** While the model has not assessed a held request, it counts as critical wherever less is needed below some risk. */
const reach = new SlackGateway({ RISK_ASSESS_HELD: 'true', LLM_TIMEOUT_MS: '600000' });
let release: () => void;
beforeAll(async () => {
  await reach.gateway.admin(`POST /services/${reach.gateway.service.id}/risk-rules`, {
    name: 'Ask',
    effect: 'require_approval',
    pathPattern: '/comments/**',
  });
});
/** The model answers after `release`. */
function holdBack(): void {
  const released = new Promise<void>((resolve) => (release = resolve));
  reach.gateway.model.answer(async () => {
    await released;
    return { score: 0.2, explanation: 'A greeting.' };
  });
}
beforeEach(holdBack);
afterEach(async () => {
  release();
  await reach.gateway.app.database.query(
    'UPDATE workspaces SET confirm_from_risk = NULL, approve_in_notifications_below = NULL',
  );
});

let comments = 0;
async function pendingComment(): Promise<Action> {
  const answer = await reach.gateway.proxy({
    method: 'POST',
    targetUrl: `${reach.gateway.upstream.url}/v1/comments/${++comments}`,
    idempotencyKey: `comment ${comments}`,
  });
  expect(answer.status).toBe(428);
  const item = await reach.gateway.admin<Action>(`GET /approvals/${answer.json<HeldResponse>().action_id}`);
  expect([item.risk_score, item.assessment.state]).toEqual([0.3, 'pending']);
  return item;
}

async function assessed({ action_id: id }: Action): Promise<void> {
  release();
  await eventually(async () => (await reach.gateway.admin<Action>(`GET /approvals/${id}`)).assessment.state === 'done');
}

const approve = ({ action_id: id, digest }: Action, fields: object = {}) =>
  reach.gateway.tryAdmin(`PATCH /approvals/${id}/approve`, { digest, ...fields });

describe('a request that is being assessed', () => {
  it('needs a confirmation where the workspace asks for one from any risk, until it is known to be lower', async () => {
    await reach.gateway.app.database.query('UPDATE workspaces SET confirm_from_risk = 1');
    const item = await pendingComment();
    const early = await approve(item);
    expect([early.status, early.body.error]).toEqual([403, 'Confirm first that it is you']);
    const target = { targetUrl: `${reach.gateway.upstream.url}/v1/comments/revised` };
    const revised = await reach.gateway.tryAdmin(`POST /approvals/${item.action_id}/revise`, target);
    expect([revised.status, revised.body.error]).toEqual([403, 'Confirm first that it is you']);
    await assessed(item);
    expect((await approve(item)).status).toBe(200);
  });

  it('can not be approved from a notification', async () => {
    await reach.gateway.app.database.query('UPDATE workspaces SET approve_in_notifications_below = 1');
    const item = await pendingComment();
    const early = await approve(item, { from: 'notification' });
    expect([early.status, early.body.error]).toEqual([403, 'This request can be decided in the dashboard only']);
    await assessed(item);
    expect((await approve(item, { from: 'notification' })).status).toBe(200);
  });

  it('gets its buttons in Slack once it is assessed, and can not be decided there before', async () => {
    await reach.setUp({ decideBelowRisk: 1 });
    await reach.link();
    reach.slack.reset();
    holdBack();
    const item = await pendingComment();
    const message = await reach.slack.message((text) => text.includes('waiting for approval'));
    expect(blockText(message.blocks)).toContain('Risk not assessed yet');
    expect(blockText(message.blocks)).toContain('not assessed by the model yet, so far medium (0.30)');
    expect(JSON.stringify(message.blocks)).not.toContain('agw_approve');
    await reach.hook(pressed('approve', item.action_id));
    expect(reach.slack.views).toEqual([]);
    expect(JSON.stringify(reach.slack.ephemeral)).toContain('This request can be decided in the dashboard only');
    await assessed(item);
    const updated = await eventually(() => message.updates === 1 && JSON.stringify(message.blocks));
    expect(updated).toContain('agw_approve');
    expect(updated).toContain('Medium risk: a request is waiting for approval');
    await reach.decide('approve', item.action_id);
    expect(await reach.readStatus(item.action_id)).toBe('APPROVED');
  });

  it('is told like a critical one, and its decision is told to the same channels', async () => {
    const { id } = await reach.gateway.admin<{ id: number }>('POST /channels', {
      type: 'webhook',
      name: 'Only critical',
      target: `http://${reach.slack.hostAndPort}/critical`,
      minRisk: 0.9,
    });
    const item = await pendingComment();
    const rows = (): Promise<{ type: string; risk: number; assessment: string | null }[]> =>
      reach.gateway.app.database.query(
        `SELECT type, risk, about->>'assessment' AS assessment FROM channel_deliveries WHERE channel_id = $1 ORDER BY occurred_at`,
        [id],
      );
    // Quiet hours let 0.8 and more through.
    expect(await rows()).toEqual([{ type: 'approval.requested', risk: 1, assessment: 'pending' }]);
    await assessed(item);
    expect(await rows()).toEqual([{ type: 'approval.requested', risk: 0.3, assessment: 'done' }]);
    await reach.gateway.deny(item.action_id);
    expect((await rows()).map(({ type }) => type)).toEqual(['approval.requested', 'approval.decided']);
  });
});
