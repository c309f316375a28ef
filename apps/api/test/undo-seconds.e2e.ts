import type { Action } from '#contracts';
import { AgentCallback } from './support/agent-callback.js';
import { call } from './support/accounts.js';
import { startChildGateway } from './support/child-gateway.js';
import { McpAgent } from './support/mcp-client.js';
import type { Gateway } from './support/gateway.js';

const hook = new AgentCallback();
let gateway: Gateway;
let other: Gateway;
beforeAll(async () => {
  gateway = hook.gateway;
  other = await gateway.secondInstance({ CALLBACK_PRIVATE_HOSTS: hook.receiver.hostAndPort });
});
afterAll(() => other.app.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
});

const setSeconds = (undoSeconds: number) =>
  gateway.admin(`PUT /workspaces/${gateway.agent.userId}`, { settings: { undoSeconds } });
const get = (id: string) => gateway.admin<Action>(`GET /approvals/${id}`);
const decide = (id: string, verb: string) => gateway.admin<Action>(`PATCH /approvals/${id}/${verb}`);
const status = async (id: string) => (await gateway.status(id)).json<{ status: string }>().status;
const databaseMs = async (): Promise<number> => {
  const [{ ms }] = await gateway.app.database.query<{ ms: number }[]>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
  );
  return ms;
};
/** The longest time, which no test waits for. */
const LONG = 30;

describe('an approval that does not count yet', () => {
  beforeEach(() => setSeconds(LONG));

  it('is PENDING for the agent at every door, and counts when the time is over', async () => {
    const id = await hook.hold();
    const approved = await gateway.approve(id, 'only this one');
    expect(approved).toMatchObject({ status: 'APPROVED', executing: false });
    const countsMs = Date.parse(approved.countsFrom!);
    expect(countsMs - Date.parse(approved.resolved_at!)).toBeGreaterThanOrEqual(LONG * 1000);
    expect(Date.parse(approved.approvalExpiresAt!)).toBeGreaterThan(countsMs + 3_590_000);

    for (const instance of [gateway, other]) {
      const polled = await instance.status(id);
      expect(polled.headers.get('Retry-After')).toBe('8');
      expect(polled.json()).toEqual({ status: 'PENDING', action_id: id, created_at: approved.created_at });
      const execution = await instance.execute(id);
      expect([execution.status, execution.json().error, execution.headers.get('Retry-After')]).toEqual([
        409,
        'Cannot execute action with status PENDING',
        '8',
      ]);
    }
    const agent = await McpAgent.connect(gateway.url, { 'Agent-Key': gateway.agentKey });
    const shown = await agent.ask('get_action', { actionId: id, waitSeconds: 0 });
    expect(shown).toMatchObject({ status: 'PENDING_APPROVAL', executed: false });
    expect(JSON.stringify(shown)).not.toContain('only this one');
    await agent.client.close();

    await gateway.app.advance({ seconds: LONG });
    expect(await status(id)).toBe('APPROVED');
    expect((await other.execute(id)).status).toBe(200);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('can be taken back, and the agent never learns of it', async () => {
    const id = await hook.hold();
    await gateway.approve(id);
    expect(await decide(id, 'undo')).toMatchObject({ status: 'PENDING', countsFrom: null });
    await gateway.approve(id);
    await decide(id, 'withdraw');
    const [denied] = await hook.received(1);
    expect(await hook.open(denied)).toMatchObject({ type: 'action.denied', data: { actionId: id } });
    await gateway.app.advance({ seconds: LONG });
    hook.look();
    await gateway.app.settled();
    expect(hook.calls).toHaveLength(1);
    expect((await hook.deliveries()).map(({ type }) => type)).toEqual(['action.denied']);
  });

  it('holds an equal request, and lifts no denial, until it counts', async () => {
    const request = { method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1/equal`, intent: 'tidy up' };
    await gateway.deny((await gateway.hold(request)).action_id);
    const { action_id: id } = await gateway.hold(request);
    await gateway.approve(id);
    gateway.model.answer({ score: 0 });
    const again = await other.proxy(request);
    expect([again.status, again.json().action_id]).toEqual([428, id]);
    const keyed = await other.proxy({ ...request, idempotencyKey: 'equal' });
    expect([keyed.status, keyed.json().action_id === id]).toEqual([428, false]);
    await gateway.deny(keyed.json<{ action_id: string }>().action_id);
    await decide(id, 'undo');
    await gateway.approve(id);
    await gateway.app.advance({ seconds: LONG });
    expect((await other.proxy(request)).status).toBe(200);
  });

  it('also when it is the last of several, and when the request was edited', async () => {
    const id = await hook.hold();
    const { action_id: revision } = await gateway.admin<Action>(`POST /approvals/${id}/revise`, {
      headers: { 'X-Revised': 'yes' },
    });
    expect([await status(revision), (await get(revision)).status]).toEqual(['PENDING', 'APPROVED']);
    await gateway.app.advance({ seconds: LONG });
    expect(await status(revision)).toBe('APPROVED');
  });
});

describe('what waits for the moment when an approval counts', () => {
  const SECONDS = 1;
  beforeEach(() => setSeconds(SECONDS));

  it('a call that waits for the status returns then, and not before, on every instance', async () => {
    const id = await hook.hold();
    const { countsFrom } = await gateway.approve(id);
    const answers = await Promise.all(
      [gateway, other].map(async (instance) => ({
        body: (await instance.status(id, { Prefer: 'wait=60' })).json(),
        ms: await databaseMs(),
      })),
    );
    for (const { body, ms } of answers) {
      expect(body).toMatchObject({ status: 'APPROVED', action_id: id });
      expect(ms).toBeGreaterThanOrEqual(Date.parse(countsFrom!));
    }
  });

  it('a request that waits for its approval is sent then, and not before', async () => {
    gateway.model.answer({ score: 0.9 });
    const targetUrl = `${gateway.upstream.url}/v1/waits`;
    const answer = gateway.proxy({ method: 'DELETE', targetUrl, intent: 'tidy up' }, { Prefer: 'wait=60' });
    const held = await hook.eventually(async () => {
      const { items } = await gateway.admin<{ items: Action[] }>('GET /approvals?q=waits');
      return items.length > 0 && items[0];
    });
    const { countsFrom } = await gateway.approve(held.action_id);
    expect((await answer).headers.get('X-Proxy-Status')).toBe('executed-approved');
    const [{ sent }] = await gateway.app.database.query<{ sent: boolean }[]>(
      `SELECT at >= $2::timestamptz AS sent FROM audit_records WHERE action_id = $1 AND kind = 'execution'`,
      [held.action_id, countsFrom],
    );
    expect(sent).toBe(true);
  });

  it('the callback is sent then, also when the instance that took the approval was killed', async () => {
    const id = await hook.hold();
    const child = await startChildGateway({
      DATABASE_URL: gateway.app.databaseUrl,
      CALLBACK_PRIVATE_HOSTS: hook.receiver.hostAndPort,
      PRIVATE_TARGET_ALLOWLIST: gateway.upstream.hostAndPort,
      ALLOW_REGISTRATION: 'true',
    });
    const waiting = other.status(id, { Prefer: 'wait=60' });
    const { status: answered, body } = await call<Action>(child, `PATCH /approvals/${id}/approve`, {
      token: gateway.token,
      body: {},
    });
    child.kill('SIGKILL');
    await child.exited;
    expect([answered, body.status]).toEqual([200, 'APPROVED']);
    expect((await waiting).json()).toMatchObject({ status: 'APPROVED' });
    const [told] = await hook.received(1);
    expect(await hook.open(told)).toEqual({
      type: 'action.approved',
      timestamp: body.countsFrom,
      data: { actionId: id, status: 'APPROVED', decidedAt: body.resolved_at },
    });
    const [{ early }] = await gateway.app.database.query<{ early: boolean }[]>(
      'SELECT last_attempt_at < $2::timestamptz AS early FROM callback_deliveries WHERE action_id = $1',
      [id, body.countsFrom],
    );
    expect(early).toBe(false);
  });
});

it('without the setting, an approval counts at once', async () => {
  await setSeconds(0);
  const id = await hook.hold();
  expect(await gateway.approve(id)).toMatchObject({ countsFrom: null });
  expect((await gateway.execute(id)).status).toBe(200);
});
