import type { Action, AuditRecord, Channel, SlackLink, SlackLinkRequest } from '#contracts';
import { SlackChannels } from '../src/slack/slack-channels.js';
import { SlackLinks } from '../src/slack/slack-links.js';
import { login, register } from './support/accounts.js';
import { BOT, PUBLIC_URL, SlackGateway, tokenIn } from './support/slack-gateway.js';
import { ANA, pressed, submitted } from './support/slack-hook.js';
import { blockText, TEAM } from './support/slack.js';

const reach = new SlackGateway();

/** Runs the work while a rule with these fields applies. */
async function underRule(fields: object, work: () => Promise<void>): Promise<void> {
  const rules = `/services/${reach.gateway.service.id}/risk-rules`;
  const rule = { name: 'Asks', effect: 'require_approval', methods: ['DELETE'], ...fields };
  const { id } = await reach.gateway.admin<{ id: number }>(`POST ${rules}`, rule);
  await work().finally(() => reach.gateway.admin(`DELETE ${rules}/${id}`));
}

describe('the buttons', () => {
  it('appear only below the risk that an owner chose, and not without one', async () => {
    await reach.held();
    expect(JSON.stringify(reach.slack.messages[0].blocks)).toContain('agw_approve');
    expect(blockText(reach.slack.messages[0].blocks)).toMatch(/Review\nApprove…\nDeny…$/);
    await reach.setUp({ decideBelowRisk: 0.5 });
    await reach.held();
    expect(JSON.stringify(reach.slack.messages[0].blocks)).not.toContain('agw_approve');
    await reach.setUp({});
    expect(reach.channel.decideBelowRisk).toBeNull();
    await reach.held();
    expect(JSON.stringify(reach.slack.messages[0].blocks)).not.toContain('agw_approve');
  });

  it('are switched on by owners only, and off by administrators too', async () => {
    const admin = await reach.member('admin');
    const put = (body: object, token: string) =>
      reach.gateway.tryAdmin<Channel>(`PUT /channels/${reach.channel.id}`, body, token);
    expect(await put({ decideBelowRisk: 1 }, admin.token)).toMatchObject({
      status: 403,
      body: { error: 'Your role (admin) does not allow this' },
    });
    expect(await put({ name: 'Same' }, admin.token)).toMatchObject({ status: 200, body: { decideBelowRisk: 0.95 } });
    expect(await put({ decideBelowRisk: null }, admin.token)).toMatchObject({
      status: 200,
      body: { decideBelowRisk: null },
    });
    const body = { type: 'slack', name: 'x', ...BOT, decideBelowRisk: 0.1 };
    expect(await reach.gateway.tryAdmin('POST /channels', body, admin.token)).toMatchObject({ status: 403 });
    const webhook = { type: 'slack', name: 'x', target: `http://${reach.slack.hostAndPort}/x`, decideBelowRisk: 0.1 };
    expect(await reach.gateway.tryAdmin('POST /channels', webhook)).toMatchObject({
      status: 400,
      body: { error: 'decideBelowRisk: needs a Slack app, because incoming webhooks have no buttons' },
    });
  });

  it('are switched off, and links end, when an administrator enters another app, because they would know its secret', async () => {
    await reach.link();
    const admin = await reach.member('admin');
    const put = `PUT /channels/${reach.channel.id}`;
    expect(await reach.gateway.tryAdmin(put, { ...BOT, decideBelowRisk: 1 }, admin.token)).toMatchObject({
      status: 403,
    });
    // The body that a form sends if it was opened before the change.
    const body = { ...BOT, decideBelowRisk: reach.channel.decideBelowRisk };
    const changed = await reach.gateway.tryAdmin<Channel>(put, body, admin.token);
    expect(changed).toMatchObject({ status: 200, body: { decideBelowRisk: null } });
    expect(await reach.gateway.admin<SlackLink[]>('GET /slack-links')).toEqual([]);
  });
});

describe('a link between a Slack user and a member', () => {
  it('begins in Slack, is confirmed in the dashboard, and works once', async () => {
    expect((await reach.hook(pressed('approve', await reach.held()))).status).toBe(200);
    const [aside] = reach.slack.ephemeral;
    expect(aside.user).toBe(ANA.id);
    expect(JSON.stringify(aside.blocks)).toContain(
      `<${PUBLIC_URL}/dashboard/settings/notifications?workspace=${reach.gateway.agent.userId}#slack=`,
    );
    expect(reach.slack.views).toHaveLength(0);
    const token = tokenIn(aside);
    const asked = await reach.gateway.admin<SlackLinkRequest>('POST /slack-links/view', { token });
    expect(asked).toMatchObject({ slackName: 'ana', slackUserId: ANA.id, channel: 'On call' });
    expect(await reach.gateway.tryAdmin('POST /slack-links', { token })).toMatchObject({
      status: 403,
      body: { error: 'Confirm first that it is you' },
    });
    await reach.confirm();
    const linked = await reach.gateway.admin<SlackLink>('POST /slack-links', { token });
    expect(await reach.gateway.admin<SlackLink[]>('GET /slack-links')).toEqual([linked]);
    for (const route of ['POST /slack-links', 'POST /slack-links/view']) {
      expect(await reach.gateway.tryAdmin(route, { token })).toMatchObject({
        status: 410,
        body: { error: expect.stringMatching(/^This link was used, has expired/) as string },
      });
    }
    const [record] = await reach.gateway.audit('&kind=change');
    expect(record).toMatchObject({
      reason: 'slack.linked',
      actor: { name: 'Ada' },
      details: { slackName: 'ana', slackUserId: ANA.id, channel: 'On call' },
    });
  });

  it('is stored as a hash, ends after 15 minutes, and is replaced by a newer one', async () => {
    const id = await reach.held();
    await reach.hook(pressed('approve', id));
    await reach.hook(pressed('deny', id));
    const [older, newer] = reach.slack.ephemeral.map(tokenIn);
    expect(await reach.gateway.tryAdmin('POST /slack-links/view', { token: older })).toMatchObject({ status: 410 });
    expect(await reach.gateway.tryAdmin('POST /slack-links/view', { token: newer })).toMatchObject({ status: 200 });
    const stored = await reach.gateway.app.database.query<object[]>('SELECT * FROM slack_link_requests');
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(newer);
    await reach.gateway.app.advance({ minutes: 16 });
    await reach.gateway.logInAgain();
    await reach.confirm();
    for (const route of ['POST /slack-links', 'POST /slack-links/view'])
      expect(await reach.gateway.tryAdmin(route, { token: newer })).toMatchObject({ status: 410 });
  });

  it('is refused to members of other workspaces, to auditors, and without a login', async () => {
    await reach.hook(pressed('approve', await reach.held()));
    const token = tokenIn(reach.slack.ephemeral[0]);
    await register(reach.gateway.app, `eve-${reach.serial}@example.com`);
    const eve = (await login(reach.gateway.app, `eve-${reach.serial}@example.com`)).accessToken;
    expect(await reach.gateway.tryAdmin('POST /slack-links/view', { token }, eve)).toMatchObject({ status: 410 });
    const auditor = await reach.member('auditor');
    expect(await reach.gateway.tryAdmin('POST /slack-links', { token }, auditor.token)).toMatchObject({ status: 403 });
    expect(await reach.gateway.tryAdmin('POST /slack-links', { token }, 'none')).toMatchObject({ status: 401 });
  });

  it('is refused when its channel was deleted after Slack called', async () => {
    const found = (await reach.gateway.app.app.get(SlackChannels).find(reach.channel.id))!;
    await reach.gateway.admin(`DELETE /channels/${found.id}`);
    const asked = reach.gateway.app.app.get(SlackLinks).request(found, { id: ANA.id, name: 'ana', teamIds: [TEAM] });
    await expect(asked).rejects.toMatchObject({ statusCode: 401 });
  });

  it('is ended by its member', async () => {
    const { id } = await reach.link();
    const other = await reach.member('approver');
    expect(await reach.gateway.tryAdmin(`DELETE /slack-links/${id}`, undefined, other.token)).toMatchObject({
      status: 404,
    });
    await reach.gateway.admin(`DELETE /slack-links/${id}`);
    await reach.hook(pressed('deny', await reach.held()));
    expect(blockText(reach.slack.ephemeral[0].blocks)).toContain('Your Slack account is not linked');
  });
});

describe('a linked member', () => {
  it('approves in a form with the same facts, and the message says so', async () => {
    await reach.link();
    const id = await reach.held();
    expect((await reach.hook(pressed('approve', id))).text).toBe('{}');
    const { view, trigger_id: trigger } = reach.slack.views[0];
    expect(trigger).toMatch(/^1234\.5678\./);
    expect(view.title.text).toBe('Approve this request?');
    const asked = reach.slack.messages.find(({ blocks }) => JSON.stringify(blocks).includes(id))!;
    const facts = blockText(asked.blocks).split('\n').slice(1, -3);
    expect(blockText(view.blocks).split('\n').slice(0, facts.length)).toEqual(facts);
    expect(await reach.readStatus(id)).toBe('PENDING');
    expect((await reach.hook(submitted(reach.slack.views[0], 'fine'))).text).toBe('{"response_action":"clear"}');
    const action = await reach.gateway.admin<Action>(`GET /approvals/${id}`);
    expect(action).toMatchObject({ status: 'APPROVED', resolved_by: { name: 'Ada' }, resolution_note: 'fine' });
    await reach.slack.message((text) => text.startsWith('Approved by Ada, '));
    const record = (await reach.gateway.audit('&kind=change')).find(({ actionId }) => actionId === id) as AuditRecord;
    expect(record).toMatchObject({ reason: 'action.approved', actor: { name: 'Ada' }, details: { via: 'Slack' } });
    expect((await reach.gateway.execute(id)).status).toBe(200);
  });

  it('denies with a note that the agent gets', async () => {
    await reach.link();
    const id = await reach.held();
    expect((await reach.decide('deny', id, 'not today')).text).toBe('{"response_action":"clear"}');
    expect(await reach.gateway.admin<Action>(`GET /approvals/${id}`)).toMatchObject({
      status: 'DENIED',
      resolution_note: 'not today',
    });
    await reach.slack.message((text) => text.startsWith('Denied by Ada, '));
  });

  it('is told in the form or in a private message why a decision does not count', async () => {
    await reach.link();
    const id = await reach.held();
    await reach.hook(pressed('approve', id));
    await reach.gateway.deny(id);
    const late = await reach.hook(submitted(reach.slack.views[0]));
    expect(late.text).toContain('Action is already DENIED.');
    expect(JSON.parse(late.text)).toMatchObject({ response_action: 'update' });
    await reach.hook(pressed('approve', id));
    expect(blockText(reach.slack.ephemeral[0].blocks)).toContain('Action is already DENIED.');
    expect(reach.slack.views).toHaveLength(1);
  });

  it('decides nothing at or above the risk, also when it is lowered while the form is open', async () => {
    await reach.link();
    const id = await reach.held();
    await reach.hook(pressed('approve', id));
    await reach.gateway.admin(`PUT /channels/${reach.channel.id}`, { decideBelowRisk: 0.3 });
    for (const choice of ['approve', 'deny'] as const) {
      await reach.hook(pressed(choice, id));
      expect(blockText(reach.slack.ephemeral.at(-1)!.blocks)).toContain('can be decided in the dashboard only');
    }
    expect((await reach.hook(submitted(reach.slack.views[0]))).text).toContain('can be decided in the dashboard only');
    await reach.gateway.admin(`PUT /channels/${reach.channel.id}`, { decideBelowRisk: null });
    expect((await reach.hook(submitted(reach.slack.views[0], 'again'))).text).toContain(
      'can be decided in the dashboard only',
    );
    expect(await reach.readStatus(id)).toBe('PENDING');
  });

  it('is sent to the dashboard where a confirmation is needed', async () => {
    const workspace = `PUT /workspaces/${reach.gateway.agent.userId}`;
    await reach.link();
    const id = await reach.held();
    await reach.gateway.admin(workspace, { settings: { confirmFromRisk: 0.5 } });
    expect((await reach.decide('approve', id)).text).toContain(
      'needs you to confirm your identity: decide in the dashboard.',
    );
    await reach.gateway.admin(workspace, { settings: { confirmFromRisk: null } });
    expect(await reach.readStatus(id)).toBe('PENDING');
  });

  it('cannot decide after losing the role or the membership', async () => {
    const bob = await reach.member('approver');
    const BOB = { id: 'U0BOB', username: 'bob', team_id: TEAM };
    await reach.link(BOB, bob.token);
    const id = await reach.held();
    await reach.hook(pressed('approve', id, BOB));
    const setRole = `PUT /workspaces/${reach.gateway.agent.userId}/members/${bob.id}`;
    await reach.gateway.admin(setRole, { role: 'auditor' });
    expect((await reach.hook(submitted(reach.slack.views[0], null, BOB))).text).toContain(
      'Your role (auditor) does not allow this.',
    );
    await reach.hook(pressed('deny', id, BOB));
    expect(blockText(reach.slack.ephemeral.at(-1)!.blocks)).toContain('Your role (auditor) does not allow this.');
    await reach.gateway.admin(`DELETE /workspaces/${reach.gateway.agent.userId}/members/${bob.id}`);
    expect((await reach.hook(submitted(reach.slack.views[0], 'x', BOB))).text).toContain(
      'Your Slack account is no longer linked',
    );
    await reach.hook(pressed('deny', id, BOB));
    expect(blockText(reach.slack.ephemeral.at(-1)!.blocks)).toContain('Your Slack account is not linked');
    expect(await reach.readStatus(id)).toBe('PENDING');
  });

  it('may not approve requests of an agent that they made, but may deny them', async () => {
    const workspace = `PUT /workspaces/${reach.gateway.agent.userId}`;
    await reach.link();
    const id = await reach.held();
    await reach.gateway.admin(workspace, { settings: { separationOfDuties: true } });
    expect((await reach.decide('approve', id)).text).toContain('You may not decide this action.');
    expect((await reach.decide('deny', id)).text).toContain('clear');
    await reach.gateway.admin(workspace, { settings: { separationOfDuties: false } });
  });

  it('gives one of several approvals, and is told how many are missing', async () => {
    await reach.link();
    await reach.member('approver');
    await underRule({ approvals: 2 }, async () => {
      const id = await reach.held();
      expect((await reach.decide('approve', id)).text).toContain(
        'Your approval was added. The request needs one more.',
      );
      expect(await reach.readStatus(id)).toBe('PENDING');
      expect((await reach.decide('approve', id)).text).toContain('You have already approved this action.');
    });
  });

  it('approves nothing if a rule names other people', async () => {
    await reach.link();
    const other = await reach.member('approver');
    await underRule({ approverIds: [other.id] }, async () => {
      const id = await reach.held();
      expect((await reach.decide('approve', id)).text).toContain('You may not decide this action.');
      expect(await reach.readStatus(id)).toBe('PENDING');
    });
  });

  it('approves only what the form showed', async () => {
    await reach.link();
    const id = await reach.held();
    await reach.hook(pressed('approve', id));
    const other = structuredClone(reach.slack.views[0]);
    const about = JSON.parse(other.view.private_metadata) as { digest: string };
    other.view.private_metadata = JSON.stringify({ ...about, digest: '0'.repeat(64) });
    expect((await reach.hook(submitted(other))).text).toContain('This action is not what you saw.');
    expect(await reach.readStatus(id)).toBe('PENDING');
  });

  it('either wins or loses a race with the dashboard', async () => {
    await reach.link();
    for (let round = 0; round < 5; round++) {
      const id = (
        await reach.gateway.hold({ targetUrl: `${reach.gateway.upstream.url}/v1/customers/${++reach.serial}` })
      ).action_id;
      await reach.gateway.app.settled();
      reach.slack.views.length = 0;
      await reach.hook(pressed('approve', id));
      const [answer, denied] = await Promise.all([
        reach.hook(submitted(reach.slack.views[0])),
        reach.gateway.tryAdmin(`PATCH /approvals/${id}/deny`),
      ]);
      const status = await reach.readStatus(id);
      expect([answer.text.includes('"clear"'), denied.status === 200]).toEqual([
        status === 'APPROVED',
        status === 'DENIED',
      ]);
    }
  });
});
