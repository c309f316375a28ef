import { randomUUID } from 'node:crypto';
import type { Action, HeldResponse } from '#contracts';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway, type ProxyBody } from './support/gateway.js';
import { expectError, heldRequests } from './support/held-requests.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

let serial = 0;
const { target, storedAction, hold, approved } = heldRequests(() => gateway);

describe('GET /status/:actionId', () => {
  it('401 without a valid agent key', async () => {
    const { action_id } = await hold();
    expectError(await gateway.status(action_id, { 'Agent-Key': '' }), 401, 'Missing Agent-Key header');
    expectError(await gateway.status(action_id, { 'Agent-Key': 'x' }), 401, 'Invalid Agent-Key format');
  });

  it('returns each status with its own fields and no others', async () => {
    const { action_id } = await hold();
    const pending = await gateway.status(action_id);
    expect(pending.status).toBe(200);
    expect(pending.json()).toEqual({
      status: 'PENDING',
      action_id,
      created_at: (await storedAction(action_id)).created_at,
    });
    expect(pending.headers.get('retry-after')).toBe('8');
    expect(pending.headers.get('preference-applied')).toBeNull();

    await gateway.approve(action_id, 'for your eyes only');
    const approval = await gateway.status(action_id);
    expect(approval.json()).toEqual({
      status: 'APPROVED',
      action_id,
      execute_url: `/proxy/execute/${action_id}`,
    });
    expect(approval.headers.get('retry-after')).toBeNull();

    gateway.upstream.answer((_call, response) => {
      response.writeHead(418, { 'Content-Type': 'text/plain', Link: ['<a>', '<b>'], 'Set-Cookie': 'no=1' });
      response.end('short and stout ☕');
    });
    await gateway.execute(action_id);
    expect((await gateway.status(action_id)).json()).toEqual({
      status: 'EXECUTED',
      action_id,
      result: {
        status: 418,
        headers: expect.objectContaining({ 'content-type': 'text/plain', link: ['<a>', '<b>'] }),
        body: 'short and stout ☕',
      },
    });
    expect((await storedAction(action_id)).result!.headers).not.toHaveProperty('set-cookie');

    const denied = (await hold()).action_id;
    await gateway.deny(denied, 'no');
    expect((await gateway.status(denied)).json()).toEqual({
      status: 'DENIED',
      action_id: denied,
      resolved_at: (await storedAction(denied)).resolved_at,
      resolution_note: 'no',
    });
  });

  it('returns binary results as base64', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 254]);
    gateway.upstream.answer((_call, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(bytes));
    const id = await approved();
    expect((await gateway.execute(id)).bytes.equals(bytes)).toBe(true);
    const { result } = (await gateway.status(id)).json<{ result: unknown }>();
    expect(result).toEqual({
      status: 200,
      headers: expect.objectContaining({ 'content-type': 'image/png' }),
      body: bytes.toString('base64'),
      bodyEncoding: 'base64',
    });
  });

  it.each([
    ['text of control characters', Buffer.alloc(9 * 1024 * 1024, 1), undefined],
    ['text', Buffer.from('☕'.repeat(100_000)), undefined],
    ['bytes', Buffer.alloc(100_000, 0xff), 'base64' as const],
  ])('returns a large result whole, and serves others meanwhile: %s', async (_kind, bytes, bodyEncoding) => {
    gateway.upstream.answer((_call, response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end(bytes));
    const id = await approved();
    await gateway.execute(id);
    const answer = await fetch(`${gateway.url}/status/${id}`, { headers: { 'Agent-Key': gateway.agentKey } });
    // The gateway writes on only as the client reads.
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
    const body = bytes.toString(bodyEncoding ?? 'utf8');
    expect(await answer.json()).toEqual({
      status: 'EXECUTED',
      action_id: id,
      result: { status: 200, headers: expect.any(Object), body, ...(bodyEncoding && { bodyEncoding }) },
    });
  });

  it('with Prefer: wait answers as soon as the action is decided', async () => {
    const { action_id } = await hold();
    const waiting = gateway.status(action_id, { Prefer: 'wait=60' });
    await eventually(async () => (await storedAction(action_id)).last_polled_at);
    await gateway.approve(action_id);
    const answer = await waiting;
    expect(answer.json()).toMatchObject({ status: 'APPROVED' });
    expect(answer.headers.get('preference-applied')).toBe('wait=60');
    expect(answer.headers.get('retry-after')).toBeNull();
  });

  it('with Prefer: wait returns PENDING when the wait is over', async () => {
    const { action_id } = await hold();
    const before = Date.now();
    const answer = await gateway.status(action_id, { Prefer: 'respond-async, wait=1' });
    expect(Date.now() - before).toBeGreaterThanOrEqual(990);
    expect(answer.json()).toMatchObject({ status: 'PENDING' });
    expect(answer.headers.get('preference-applied')).toBe('wait=1');
    expect(answer.headers.get('retry-after')).toBe('8');
  });

  it('with Prefer: wait answers immediately for decided and for unknown actions', async () => {
    const id = await approved();
    expect((await gateway.status(id, { Prefer: 'wait=60' })).json()).toMatchObject({ status: 'APPROVED' });
    const ignored = await gateway.status((await hold()).action_id, { Prefer: 'wait=0' });
    expect(ignored.headers.get('preference-applied')).toBeNull();
    expectError(await gateway.status(randomUUID(), { Prefer: 'wait=60' }), 404, 'Action not found');
  });
});

describe('POST /proxy with Prefer: wait', () => {
  const waiting = (fields: Partial<ProxyBody> = {}, wait = 'wait=60') => {
    gateway.model.answer({ score: 0.9 });
    const body = { method: 'DELETE', targetUrl: target(`/waits/${++serial}`), ...fields };
    return { answer: gateway.proxy(body, { Prefer: wait }), url: body.targetUrl };
  };
  const heldAt = (url: string): Promise<string> =>
    eventually(async () => {
      const { items } = await gateway.admin<{ items: Action[] }>('GET /approvals?limit=200');
      return items.find(({ targetUrl }) => targetUrl === url)?.action_id;
    });

  it('executes in the same call when a human approves', async () => {
    const { answer, url } = waiting();
    const id = await heldAt(url);
    expect(gateway.upstream.calls).toHaveLength(0);
    await gateway.approve(id);
    const executed = await answer;
    expect([executed.status, executed.text]).toEqual([200, '{"done":true}']);
    expect(executed.headers.get('x-proxy-status')).toBe('executed-approved');
    expect(gateway.upstream.calls).toHaveLength(1);
    expect((await storedAction(id)).status).toBe('EXECUTED');
  });

  it('replays that answer for a key', async () => {
    const post = { method: 'POST', body: '{}', idempotencyKey: `waits-${serial}` };
    const { answer, url } = waiting(post);
    await gateway.approve(await heldAt(url));
    const executed = await answer;
    expect(executed.headers.get('x-idempotency-status')).toBe('processed');
    const replay = await gateway.proxy({ ...post, targetUrl: url });
    expect([replay.status, replay.text]).toEqual([executed.status, executed.text]);
    expect(replay.headers.get('x-proxy-status')).toBe('executed-approved');
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('returns the 428 when a human denies', async () => {
    const { answer, url } = waiting();
    const id = await heldAt(url);
    await gateway.deny(id);
    const denied = await answer;
    expect([denied.status, denied.json().action_id]).toEqual([428, id]);
    expect(denied.headers.get('preference-applied')).toMatch(/^wait/);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('returns the 428 when the request is not decided in time, and the agent can continue as usual', async () => {
    const { answer } = waiting({}, 'wait=1');
    const held = await answer;
    expect(held.status).toBe(428);
    expect(held.headers.get('retry-after')).toBe('8');
    expect(held.headers.get('preference-applied')).toMatch(/^wait/);
    const { action_id } = held.json<HeldResponse>();
    await gateway.approve(action_id);
    expect((await gateway.execute(action_id)).status).toBe(200);
  });

  it('checks access again after the wait: a service that left the scope is refused', async () => {
    const other = await gateway.createService({ name: 'Elsewhere', baseUrl: `${gateway.upstream.url}/elsewhere` });
    const { answer, url } = waiting();
    const id = await heldAt(url);
    await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [other.id] });
    await gateway.deny(id);
    const refused = await answer;
    await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [gateway.service.id] });
    expectError(refused, 404, 'No service found matching target URL or agent does not have access');
    expect(gateway.upstream.calls).toHaveLength(0);
  });
});
