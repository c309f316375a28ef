import { Client } from 'pg';
import type { Action } from '#contracts';
import { ApprovalQueue } from '../src/approvals/approval-queue.js';
import { DeliveryQueue } from '../src/callbacks/delivery-queue.js';
import { AgentCallback, webhookId } from './support/agent-callback.js';
import { startChildGateway } from './support/child-gateway.js';
import { SECRET } from './support/gateway.js';
import { startApp } from './support/start-app.js';

const hook = new AgentCallback();

describe('each change of an action', () => {
  it('is delivered once, signed, without the request and the response', async () => {
    const approved = await hook.hold();
    await hook.gateway.approve(approved, 'only this one');
    const [first] = await hook.received(1);
    expect(first).toMatchObject({ method: 'POST', path: hook.path });
    expect(first.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'agent-gateway' });
    const event = await hook.open(first);
    const { resolved_at: resolvedAt } = await hook.gateway.admin<Action>(`GET /approvals/${approved}`);
    expect(event).toEqual({
      type: 'action.approved',
      timestamp: resolvedAt,
      data: { actionId: approved, status: 'APPROVED', decidedAt: resolvedAt, note: 'only this one' },
    });

    expect((await hook.gateway.execute(approved)).status).toBe(200);
    const [, second] = await hook.received(2);
    expect(await hook.open(second)).toMatchObject({
      type: 'action.executed',
      data: { actionId: approved, status: 'EXECUTED', decidedAt: resolvedAt },
    });

    const denied = await hook.hold();
    await hook.gateway.deny(denied);
    const [, , third] = await hook.received(3);
    const denial = await hook.open(third);
    expect(denial).toMatchObject({ type: 'action.denied', data: { actionId: denied, status: 'DENIED' } });
    expect(denial.data).not.toHaveProperty('note');

    const expired = await hook.hold();
    await hook.gateway.app.advance({ hours: 25 });
    await hook.gateway.logInAgain();
    await hook.gateway.app.app.get(ApprovalQueue).expire();
    const [, , , fourth] = await hook.received(4);
    expect(await hook.open(fourth)).toMatchObject({
      type: 'action.expired',
      data: { actionId: expired, status: 'EXPIRED', decidedAt: null },
    });

    await hook.gateway.app.settled();
    hook.look();
    await hook.gateway.app.settled();
    expect(new Set(hook.calls.map(webhookId)).size).toBe(4);
    expect(hook.calls).toHaveLength(4);
    const sent = hook.calls.map(({ headers, body }) => JSON.stringify(headers) + body.toString()).join();
    for (const word of [
      SECRET,
      hook.secret,
      hook.gateway.agentKey,
      hook.gateway.upstream.url,
      'customers',
      'clean up',
    ]) {
      expect(sent).not.toContain(word);
    }
    expect(
      (await hook.deliveries()).map(({ type, state, attempts, lastStatus }) => [type, state, attempts, lastStatus]),
    ).toEqual(
      expect.arrayContaining(
        ['expired', 'denied', 'executed', 'approved'].map((word) => [`action.${word}`, 'delivered', 1, 204]),
      ),
    );
  });

  it('reports that an approval was taken back, and the next one', async () => {
    const id = await hook.hold();
    await hook.gateway.approve(id);
    await hook.received(1);
    await hook.gateway.admin(`PATCH /approvals/${id}/undo`);
    const [, undone] = await hook.received(2);
    expect(await hook.open(undone)).toMatchObject({
      type: 'action.pending',
      data: { actionId: id, status: 'PENDING', decidedAt: null },
    });
    await hook.gateway.approve(id);
    const [, , again] = await hook.received(3);
    expect(await hook.open(again)).toMatchObject({ type: 'action.approved', data: { actionId: id } });
  });

  it('is not delivered after a rollback, and not for a hold', async () => {
    const id = await hook.hold();
    await hook.gateway.app.database
      .transaction(async (tx) => {
        await tx.query(`UPDATE actions SET status = 'DENIED', resolved_at = now() WHERE id = $1`, [id]);
        throw new Error('changed its mind');
      })
      .catch(() => undefined);
    await hook.gateway.app.settled();
    expect([await hook.deliveries(), hook.calls]).toEqual([[], []]);
  });

  it('does not verify with another secret, another body or another id', async () => {
    await hook.sendTest();
    const [call] = await hook.received(1);
    await expect(hook.open(call)).resolves.toMatchObject({
      type: 'callback.test',
      data: { actionId: null, status: null, decidedAt: null },
    });
    await expect(hook.open(call, `whsec_${Buffer.alloc(32, 7).toString('base64')}`)).rejects.toThrow('no signature');
    await expect(hook.open({ ...call, body: Buffer.from(`${call.body.toString()} `) })).rejects.toThrow('no signature');
    const headers = { ...call.headers, 'webhook-id': 'another' };
    await expect(hook.open({ ...call, headers })).rejects.toThrow('no signature');
  });
});

describe('several instances', () => {
  it('deliver each event once', async () => {
    const second = await hook.gateway.secondInstance({
      CALLBACK_PRIVATE_HOSTS: hook.receiver.hostAndPort,
    });
    second.app.clock.advance({ ms: hook.gateway.app.clock.nowMs() - second.app.clock.nowMs() });
    const ids = [];
    for (let count = 0; count < 12; count++) ids.push(await hook.hold());
    await Promise.all(ids.map((id, index) => (index % 2 === 0 ? hook.gateway : second).deny(id)));
    await hook.eventually(
      async () => (await hook.deliveries()).filter(({ state }) => state === 'delivered').length === 12,
    );
    for (const { app } of [hook.gateway, second]) {
      hook.look(app);
      await app.settled();
    }
    expect(hook.calls).toHaveLength(12);
    const events = await Promise.all(hook.calls.map((call) => hook.open(call)));
    expect(events.map(({ data }) => data.actionId).sort()).toEqual(ids.sort());
    await second.app.close();
  });

  it('take over deliveries that another instance has left, and a late result changes nothing', async () => {
    const second = await hook.gateway.secondInstance({
      CALLBACK_PRIVATE_HOSTS: hook.receiver.hostAndPort,
    });
    second.app.clock.advance({ ms: hook.gateway.app.clock.nowMs() - second.app.clock.nowMs() });
    let late: (() => void) | undefined;
    hook.receiver.answer((_call, response) => {
      if (late) response.writeHead(204).end();
      else late = () => response.writeHead(500).end();
    });
    await hook.sendTest();
    await hook.received(1);
    // No other instance takes it during the lease.
    for (const { app } of [hook.gateway, second]) hook.look(app);
    await second.app.settled();
    expect(hook.calls).toHaveLength(1);
    await hook.gateway.app.advance({ seconds: 31 });
    hook.look(second.app);
    const done = await hook.delivery(({ state }) => state === 'delivered');
    expect(done).toMatchObject({ attempts: 2, lastStatus: 204 });
    late!();
    await hook.gateway.app.settled();
    expect(await hook.deliveries()).toEqual([done]);
    expect(new Set(hook.calls.map(webhookId))).toEqual(new Set([done.id]));
    await second.app.close();
  });
});

it('a process whose clock is an hour behind delivers and retries as early as other processes', async () => {
  const id = await hook.hold();
  await hook.gateway.app.database.query(`UPDATE test_clock.shift SET by = by + '1 hour'`);
  hook.receiver.answer((_call, response) => response.writeHead(500).end());
  await hook.gateway.deny(id);
  const [call] = await hook.received(1);
  expect(await hook.open(call)).toMatchObject({ data: { actionId: id, status: 'DENIED' } });
  const failed = await hook.delivery(({ lastStatus }) => lastStatus === 500);
  const waitMs = Date.parse(failed.nextAttemptAt!) - Date.parse(failed.lastAttemptAt!);
  await hook.gateway.app.advance({ ms: waitMs });
  hook.receiver.answer((_call, response) => response.writeHead(204).end());
  hook.look();
  expect(await hook.delivery(({ state }) => state === 'delivered')).toMatchObject({ id: failed.id, attempts: 2 });
  hook.gateway.app.clock.advance({ hours: 1 });
  await hook.gateway.logInAgain();
});

it('deliveries are deleted after 30 days', async () => {
  await hook.sendTest();
  await hook.delivery(({ state }) => state === 'delivered');
  const queue = hook.gateway.app.app.get(DeliveryQueue);
  expect(await queue.purge()).toBe(0);
  await hook.gateway.app.advance({ hours: 31 * 24 });
  await hook.gateway.logInAgain();
  expect(await queue.purge()).toBe(1);
  expect(await hook.deliveries()).toEqual([]);
});

it('a gateway that is killed between the change and its delivery leaves the delivery to the next one', async () => {
  const id = await hook.hold();
  const { databaseUrl } = hook.gateway.app;
  const environment = {
    DATABASE_URL: databaseUrl,
    LLM_BASE_URL: hook.gateway.model.url,
    PRIVATE_TARGET_ALLOWLIST: hook.gateway.upstream.hostAndPort,
    CALLBACK_PRIVATE_HOSTS: hook.receiver.hostAndPort,
  };
  const atMs = hook.gateway.app.clock.nowMs();
  await hook.gateway.app.close();
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const deny = (actionId: string) =>
    database.query(`UPDATE actions SET status = 'DENIED', resolved_at = now() WHERE id = $1`, [actionId]);

  // Other tests have moved the database's clock; the clock of another process can't be moved.
  await database.query(`UPDATE test_clock.shift SET by = '0'`);
  // Killed during the attempt.
  const child = await startChildGateway(environment);
  hook.receiver.answer(() => undefined);
  await deny(id);
  const [first] = await hook.received(1);
  child.kill('SIGKILL');
  await child.exited;

  // Killed right after the commit: no process could have seen the change.
  const { rows } = await database.query<{ id: string }>(
    `INSERT INTO actions SELECT (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'status', 'PENDING', 'dedupe_hash', null))).*
     FROM actions a WHERE id = $1 RETURNING id`,
    [id],
  );
  await deny(rows[0].id);

  hook.receiver.answer((_call, response) => response.writeHead(204).end());
  const app = await startApp(environment);
  Object.assign(hook.gateway, { app });
  app.clock.advance({ ms: Math.max(0, atMs - app.clock.nowMs()) });
  hook.look();
  const [, second] = await hook.received(2);
  // It may have been sent before this process moved its clock.
  const sentMs = Number(second.headers['webhook-timestamp']) * 1000;
  expect(await hook.open(second, hook.secret, sentMs)).toMatchObject({
    data: { actionId: rows[0].id, status: 'DENIED' },
  });
  await app.advance({ seconds: 31 });
  hook.look();
  const [, , third] = await hook.received(3);
  expect(webhookId(third)).toBe(webhookId(first));
  expect(await hook.open(third)).toMatchObject({ data: { actionId: id, status: 'DENIED' } });
  await database.end();
});
