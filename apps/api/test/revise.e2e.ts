import type { Action, HeldResponse, StatusResponse } from '#contracts';
import { PASSWORD } from './support/accounts.js';
import { openEvents } from './support/event-stream.js';
import { startGateway, type Gateway, type ProxyBody } from './support/gateway.js';
import { team, type Team } from './support/team.js';

let gateway: Gateway;
let people: Team;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  people = team(gateway);
  await people.join('bo', 'approver');
  await people.join('cy', 'approver');
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer((_call, response) => response.end('{"done":true}'));
});

let serial = 0;
const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;
/** A refund of 50,000, to a target of its own. */
const refund = (fields: Partial<ProxyBody> = {}): Partial<ProxyBody> => ({
  method: 'POST',
  targetUrl: target(`/refunds/${++serial}`),
  body: '{"amount":50000}',
  idempotencyKey: `refund-${serial}`,
  ...fields,
});
const hold = (fields: Partial<ProxyBody> = {}): Promise<HeldResponse> => gateway.hold(refund(fields));
const revise = (id: string, change: object, who = 'bo') =>
  people.as<Action & { error: string }>(who, `POST /approvals/${id}/revise`, change);
const rule = (fields: object) =>
  gateway.admin<{ id: number }>(`POST /services/${gateway.service.id}/risk-rules`, { name: 'rule', ...fields });
const get = (id: string) => gateway.admin<Action>(`GET /approvals/${id}`);
const LESS = { body: '{"amount":500}' };

describe('POST /approvals/:actionId/revise', () => {
  it('makes a new, approved action of a changed request, and the agent executes that one', async () => {
    const asked = await hold();
    const { status, body: revision } = await revise(asked.action_id, { ...LESS, note: 'the usual limit' });
    expect(status).toBe(201);
    expect(revision).toMatchObject({
      status: 'APPROVED',
      revises: asked.action_id,
      revised_as: null,
      method: 'POST',
      body: '{"amount":500}',
      resolved_by: { name: 'bo' },
      approvals: { needed: 1, given: [{ name: 'bo', note: 'the usual limit' }] },
    });
    const id = revision.action_id;
    expect(id).not.toBe(asked.action_id);

    const before = await get(asked.action_id);
    expect(before).toMatchObject({
      status: 'DENIED',
      resolution_note: `Revised as ${id}`,
      revised_as: id,
      body: '{"amount":50000}',
    });
    expect(before.digest).not.toBe(revision.digest);
    expect((await gateway.execute(asked.action_id)).status).toBe(409);

    const told = (await gateway.status(asked.action_id)).json<StatusResponse & { next: string }>();
    expect(told).toMatchObject({ status: 'DENIED', revised_as: id });
    expect(told.next).toContain(`POST /proxy/execute/${id}`);
    expect((await gateway.status(id)).json()).toMatchObject({
      status: 'APPROVED',
      revises: asked.action_id,
      request: { method: 'POST', body: '{"amount":500}' },
      next: expect.stringContaining('A person changed your request'),
    });
    expect((await gateway.execute(id)).status).toBe(200);
    expect(gateway.upstream.calls.map(({ body }) => body.toString())).toEqual(['{"amount":500}']);
    const [held] = await gateway.audit(`&kind=request&actionId=${asked.action_id}`);
    expect((await gateway.audit('&decision=revised')).map(({ actionId }) => actionId)).toContain(asked.action_id);
    expect(held.decision).toMatchObject({ state: 'revised', by: { name: 'bo' }, note: null });
  });

  it('records every step in the audit log', async () => {
    const { action_id } = await hold();
    const { digest: seen } = await get(action_id);
    const { body: revision } = await revise(action_id, { ...LESS, note: 'less' });
    const records = await gateway.audit('&kind=change');
    const [approved, revised] = records;
    expect(revised).toMatchObject({ reason: 'action.revised', actionId: action_id, actor: { name: 'bo' } });
    expect(revised.details).toMatchObject({ revisedAs: revision.action_id, digest: seen, note: 'less' });
    expect(approved).toMatchObject({ reason: 'action.approved', actionId: revision.action_id });
    expect(approved.details).toMatchObject({ revises: action_id, digest: revision.digest, note: 'less' });
  });

  it('changes method, URL, headers and body, and keeps fields that it does not name', async () => {
    const asked = await hold({ headers: { Accept: 'application/json', 'X-Tag': 'a' } });
    const put = target(`/other/${serial}`);
    const { body } = await revise(asked.action_id, { method: 'PUT', targetUrl: put });
    expect(body).toMatchObject({ method: 'PUT', targetUrl: put, body: '{"amount":50000}' });
    expect(body.headers).toMatchObject({ 'X-Tag': 'a' });
    const again = await hold();
    const { body: bare } = await revise(again.action_id, { method: 'GET', headers: {}, body: null });
    expect(bare).toMatchObject({ method: 'GET', headers: {}, body: null });
  });

  it('keeps a body that is not text, and accepts a text to replace it', async () => {
    const binary = { body: undefined, bodyBase64: Buffer.from([0, 255, 1]).toString('base64') };
    const kept = await revise((await hold(binary)).action_id, { targetUrl: target('/binary') });
    expect(kept.body).toMatchObject({ body: binary.bodyBase64, bodyEncoding: 'base64' });
    await gateway.execute(kept.body.action_id);
    expect(gateway.upstream.calls[0].body).toEqual(Buffer.from([0, 255, 1]));
    const replaced = await revise((await hold(binary)).action_id, { body: 'text' });
    expect(replaced.body).toMatchObject({ body: 'text' });
    expect(replaced.body.bodyEncoding).toBeUndefined();
  });

  it('drops headers with credentials, like for an agent', async () => {
    const { action_id } = await hold();
    const { body } = await revise(action_id, { headers: { Authorization: 'Bearer x', Accept: 'text/plain' }, ...LESS });
    expect(Object.keys(body.headers).sort()).toEqual(['Accept', 'Content-Type']);
  });

  it.each([
    [{}, 400, 'At least one of method, targetUrl, headers, body is required'],
    [{ note: 'only a note' }, 400, 'At least one of method, targetUrl, headers, body is required'],
    [{ body: '{"amount":50000}' }, 400, 'The revised request is the same: approve it instead'],
    [{ method: 'BREW' }, 400, /^method: /],
    [{ targetUrl: 'ftp://x' }, 400, 'Only HTTP and HTTPS protocols are allowed'],
    [{ targetUrl: 'https://elsewhere.example.com/' }, 404, /No service found/],
    [{ headers: { 'a b': 'c' } }, 400, /is not a valid header name/],
    [{ body: { amount: 500 } }, 400, /^body: /],
    [{ method: 'GET' }, 400, 'body: must not be present on GET requests'],
  ])('refuses %j, and the action stays the same', async (change, status, error) => {
    const { action_id } = await hold();
    const answer = await revise(action_id, change);
    expect(answer.status).toBe(status);
    if (typeof error === 'string') expect(answer.body.error).toBe(error);
    else expect(answer.body.error).toMatch(error);
    expect(await get(action_id)).toMatchObject({ status: 'PENDING', revised_as: null });
  });

  it('refuses a URL outside the base URL with 403', async () => {
    const { action_id } = await hold();
    const { status } = await revise(action_id, { targetUrl: target('/../admin') });
    expect([status, (await get(action_id)).status]).toEqual([403, 'PENDING']);
  });

  it('refuses a change that a rule denies, and a change with the digest of another request', async () => {
    const { id } = await rule({ effect: 'deny', pathPattern: '/forbidden' });
    const { action_id } = await hold();
    const denied = await revise(action_id, { targetUrl: target('/forbidden') });
    expect([denied.status, denied.body.error]).toEqual([403, 'Denied by risk rule "rule"']);
    const unseen = await revise(action_id, { ...LESS, digest: '0'.repeat(64) });
    expect([unseen.status, unseen.body.error]).toEqual([409, 'This action is not what you saw']);
    expect((await get(action_id)).status).toBe('PENDING');
    await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${id}`);
  });

  it.each(['deny', 'approve'])('refuses an action after somebody did %s it', async (decision) => {
    const { action_id } = await hold();
    await people.as('cy', `PATCH /approvals/${action_id}/${decision}`, {});
    const { status, body } = await revise(action_id, LESS);
    expect([status, body.error]).toEqual([409, `Action is already ${decision === 'deny' ? 'DENIED' : 'APPROVED'}`]);
  });

  it('counts as one approval if more are needed, and never needs fewer approvals than the original request', async () => {
    const path = `/two/${++serial}`;
    const { id } = await rule({ effect: 'require_approval', approvals: 2, pathPattern: path });
    const first = await hold({ targetUrl: target(path) });
    const moved = await revise(first.action_id, { targetUrl: target('/without-a-rule') });
    expect(moved.body).toMatchObject({ status: 'PENDING', approvals: { needed: 2, given: [{ name: 'bo' }] } });
    const told = (await gateway.status(first.action_id)).json();
    expect(told).toMatchObject({ revised_as: moved.body.action_id });
    expect((await gateway.execute(moved.body.action_id)).status).toBe(409);
    const second = await people.as<Action>('cy', `PATCH /approvals/${moved.body.action_id}/approve`, {});
    expect(second.body.status).toBe('APPROVED');

    const plain = await hold();
    expect((await revise(plain.action_id, { targetUrl: target(path) })).body).toMatchObject({
      status: 'PENDING',
      approvals: { needed: 2 },
    });
    await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${id}`);
  });

  it('shows that an equal request was denied before', async () => {
    const denied = await hold(LESS);
    await people.as('cy', `PATCH /approvals/${denied.action_id}/deny`, { note: 'not at all' });
    const { targetUrl } = await get(denied.action_id);
    const asked = await hold({ targetUrl });
    const { status, body } = await revise(asked.action_id, LESS);
    expect(status).toBe(201);
    expect(body.repeats).toMatchObject({ action_id: denied.action_id, status: 'DENIED', resolved_by: { name: 'cy' } });
  });

  it('notifies owners when too few people may approve the revision', async () => {
    const path = `/five/${++serial}`;
    const { id } = await rule({ effect: 'require_approval', approvals: 5, pathPattern: path });
    const { action_id } = await hold();
    const events = await openEvents(gateway.url, gateway.token);
    const { body } = await revise(action_id, { targetUrl: target(path) });
    expect(await events.next(({ type }) => type === 'approvers.missing')).toMatchObject({ id: body.action_id });
    events.close();
    await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${id}`);
  });

  it('is for people who may approve both requests', async () => {
    const path = `/named/${++serial}`;
    const { id } = await rule({ effect: 'require_approval', approverIds: [people.findId('cy')], pathPattern: path });
    const named = await hold({ targetUrl: target(path) });
    const plain = await hold();
    for (const [action, change] of [
      [named, LESS],
      [plain, { targetUrl: target(path) }],
    ] as const) {
      const { status, body } = await revise(action.action_id, change, 'bo');
      expect([status, body.error]).toEqual([403, 'You may not decide this action']);
      expect((await get(action.action_id)).status).toBe('PENDING');
    }
    expect((await revise(named.action_id, LESS, 'cy')).status).toBe(201);
    await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${id}`);
  });

  it('needs a confirmation where approving does', async () => {
    const settings = (confirmFromRisk: number | null) =>
      people.as('ada', `PUT /workspaces/${people.workspaceId}`, { settings: { confirmFromRisk } });
    await settings(0);
    const { action_id } = await hold();
    const refused = await revise(action_id, LESS);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'confirmation_required']);
    expect(await get(action_id)).toMatchObject({ status: 'PENDING', revised_as: null });
    await people.as('bo', 'POST /auth/confirm', { password: PASSWORD });
    expect((await revise(action_id, LESS)).status).toBe(201);
    await people.as('ada', 'POST /auth/confirm', { password: PASSWORD });
    expect((await settings(null)).status).toBe(200);
  });

  it('works while the workspace is paused, and nothing is sent until it is resumed', async () => {
    const { action_id } = await hold();
    await people.as('ada', `POST /workspaces/${people.workspaceId}/pause`, { reason: 'lunch' });
    const { status, body } = await revise(action_id, LESS);
    expect([status, (await gateway.execute(body.action_id)).status]).toEqual([201, 403]);
    await people.as('ada', `POST /workspaces/${people.workspaceId}/resume`, {});
    expect((await gateway.execute(body.action_id)).status).toBe(200);
  });
});

describe('after a revision', () => {
  it('the key belongs to the new action: a repeat gets it, and then its stored answer', async () => {
    const request = refund();
    const asked = await gateway.hold(request);
    const { body: revision } = await revise(asked.action_id, LESS);
    const repeated = await gateway.proxy({ ...request, intent: 'clean up' });
    expect(repeated.status).toBe(428);
    expect(repeated.json()).toMatchObject({
      action_id: revision.action_id,
      next: expect.stringContaining('A person changed your request'),
    });
    await gateway.execute(revision.action_id);
    const replayed = await gateway.proxy({ ...request, intent: 'clean up' });
    expect([replayed.status, replayed.text]).toEqual([200, '{"done":true}']);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it.each([
    ['without a key', undefined],
    ['with another key', 'another'],
  ])('an equal request %s gets the new action, also of a revision of the revision', async (_how, key) => {
    const request = { ...refund({ method: 'PUT' }), idempotencyKey: key && `${key}-${serial}` };
    const asked = await gateway.hold({ ...request, idempotencyKey: undefined });
    const path = `/chain/${serial}`;
    const { id } = await rule({ effect: 'require_approval', approvals: 2, pathPattern: path });
    const { body: first } = await revise(asked.action_id, { targetUrl: target(path) });
    const { body: second } = await revise(first.action_id, LESS, 'cy');
    expect(second).toMatchObject({ revises: first.action_id, status: 'PENDING' });
    const answer = await gateway.proxy({ ...request, intent: 'other words' });
    expect([answer.status, answer.json().action_id]).toEqual([428, second.action_id]);
    expect((await get(second.action_id)).times_asked).toBe(2);
    await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${id}`);
  });

  it('an equal request below a base URL gets the new action, also under a new key', async () => {
    const path = `/s/Shop/refunds/${++serial}`;
    const send = (key: string) =>
      gateway.agentCall('POST', path, '{"amount":50000}', { 'X-Intent': 'refund', 'Idempotency-Key': key });
    gateway.model.answer({ score: 1 });
    const asked = (await send(`below-${serial}`)).json<HeldResponse>();
    const { body: revision } = await revise(asked.action_id, LESS);
    gateway.model.answer({ score: 0 });
    const again = await send(`below-${serial}-again`);
    expect([again.status, again.json().action_id]).toEqual([428, revision.action_id]);
    await gateway.execute(revision.action_id);
    expect(gateway.upstream.calls.map(({ body }) => body.toString())).toEqual([LESS.body]);
  });

  it('a waiting agent is told, and the changed request is not sent in place of its own', async () => {
    const request = refund();
    const asked = await gateway.hold(request);
    const waiting = gateway.proxy({ ...request, intent: 'clean up' }, { Prefer: 'wait=60' });
    const { body: revision } = await revise(asked.action_id, LESS);
    const answer = await waiting;
    expect(answer.status).toBe(428);
    expect(answer.json().next).toContain(revision.action_id);
    const again = await gateway.proxy({ ...request, intent: 'clean up' }, { Prefer: 'wait=60' });
    expect([again.status, again.json().action_id]).toEqual([428, revision.action_id]);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('an equal request gets the new action while that is open, with any score and with DENIAL_HOLDS_HOURS=0 too', async () => {
    const off = await gateway.secondInstance({ DENIAL_HOLDS_HOURS: '0' });
    const request = refund({ method: 'PUT', idempotencyKey: undefined });
    const asked = await gateway.hold(request);
    const path = `/chain/${serial}`;
    const { id } = await rule({ effect: 'require_approval', approvals: 2, pathPattern: path });
    const { body: first } = await revise(asked.action_id, { targetUrl: target(path) });
    const { body: second } = await revise(first.action_id, LESS, 'cy');
    await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${id}`);
    gateway.model.answer({ score: 0 });
    const again = async (key?: string) => {
      const answer = await off.proxy({ ...request, intent: 'other words', idempotencyKey: key });
      return [answer.status, answer.status === 428 ? answer.json().action_id : null];
    };
    expect(await again()).toEqual([428, second.action_id]);
    expect(await again(`off-${serial}`)).toEqual([428, second.action_id]);
    await people.as('bo', `PATCH /approvals/${second.action_id}/approve`, {});
    expect(await again()).toEqual([428, second.action_id]);
    expect(gateway.upstream.calls).toHaveLength(0);
    await gateway.execute(second.action_id);
    expect(await again()).toEqual([200, null]);
    await off.app.close();
  });

  it('an equal request is held as a new action once the new one is over', async () => {
    const request = refund({ method: 'PUT', idempotencyKey: undefined });
    const asked = await gateway.hold(request);
    const { body: revision } = await revise(asked.action_id, LESS);
    await gateway.execute(revision.action_id);
    gateway.model.answer({ score: 0 });
    const answer = await gateway.proxy({ ...request, intent: 'clean up' });
    expect(answer.status).toBe(428);
    expect([asked.action_id, revision.action_id]).not.toContain(answer.json().action_id);
  });
});
