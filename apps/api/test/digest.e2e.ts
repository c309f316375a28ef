import type { Action, ActionPage, AuditRecord } from '#contracts';
import { actionDigest } from '../src/approvals/action-digest.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

const hold = () =>
  gateway.hold({
    method: 'POST',
    targetUrl: `${gateway.upstream.url}/v1/refunds`,
    body: '{"amount":500}',
    idempotencyKey: 'k1',
  });
const get = (id: string) => gateway.admin<Action>(`GET /approvals/${id}`);
const approve = (id: string, digest?: unknown) =>
  gateway.tryAdmin<Action & { error: string }>(`PATCH /approvals/${id}/approve`, { digest });
const moveService = (baseUrl: string) => gateway.admin(`PUT /services/${gateway.service.id}`, { baseUrl });

describe('the digest of an action', () => {
  it('covers what the approver sees and the base URL of the service', async () => {
    const { action_id: id } = await hold();
    const action = await get(id);
    const { baseUrl } = gateway.service;
    const seen = { ...action, agentId: action.agent.id, serviceId: action.service.id };
    expect(action.digest).toBe(actionDigest(seen, baseUrl));
    await moveService(gateway.upstream.url);
    expect((await get(id)).digest).not.toBe(action.digest);
  });

  it('is null when the service is gone', async () => {
    const { action_id: id } = await hold();
    await gateway.admin(`DELETE /services/${gateway.service.id}`);
    const { digest, blocked } = await get(id);
    expect([digest, blocked]).toEqual([null, 'The service was deleted']);
  });
});

describe('approving with a digest', () => {
  it('approves what the approver saw, and the record of the decision has the digest', async () => {
    const { action_id: id } = await hold();
    const { digest } = await get(id);
    const { status, body } = await approve(id, digest);
    expect([status, body.status, body.digest]).toEqual([200, 'APPROVED', digest]);
    const [record] = await gateway.audit('&kind=change');
    expect(record).toMatchObject({ reason: 'action.approved', details: { digest } });
    expect((await gateway.execute(id)).status).toBe(200);
  });

  it('refuses another digest with 409, and changes nothing', async () => {
    const { action_id: id } = await hold();
    const { digest } = await get(id);
    await moveService(gateway.upstream.url);
    const { status, body } = await approve(id, digest);
    expect([status, body.error]).toEqual([409, 'This action is not what you saw']);
    expect((await get(id)).status).toBe('PENDING');
  });

  it('names the status first when the action is already decided', async () => {
    const { action_id: id } = await hold();
    await gateway.deny(id);
    const { status, body } = await approve(id, '0'.repeat(64));
    expect([status, body.error]).toEqual([409, 'Action is already DENIED']);
  });

  it('refuses a malformed digest', async () => {
    const { action_id: id } = await hold();
    const { status, body } = await approve(id, 'abc');
    expect([status, body.error]).toEqual([400, 'digest: must be 64 hexadecimal digits']);
  });
});

describe('approving with what was on the screen', () => {
  const approveSeen = async (seen: unknown, withDigest = true) => {
    const { action_id: id } = await hold();
    const { digest } = await get(id);
    return gateway.tryAdmin<Action & { error: string }>(`PATCH /approvals/${id}/approve`, {
      ...(withDigest && { digest }),
      seen,
    });
  };

  it('keeps it in the record of the decision, and out of lists', async () => {
    const seen = ['/query', '/body/amount', '/body/a~1b/0', 'bytes=0-499'];
    expect((await approveSeen(seen)).status).toBe(200);
    const [listed] = await gateway.audit('&kind=change');
    expect(listed).toMatchObject({ reason: 'action.approved', details: { note: null } });
    expect(listed.details).not.toHaveProperty('seen');
    const record = await gateway.admin<AuditRecord>(`GET /audit/${listed.id}`);
    expect(record.details).toEqual({ ...listed.details, seen });
  });

  it('is optional', async () => {
    expect((await approveSeen(undefined)).status).toBe(200);
    const [{ id }] = await gateway.audit('&kind=change');
    expect((await gateway.admin<AuditRecord>(`GET /audit/${id}`)).details).not.toHaveProperty('seen');
  });

  const PARTS =
    'seen: must be JSON pointers such as /body/amount or /query/limit, or ranges such as bytes=0-499, each of at most 256 characters';
  it.each([
    ['another pointer', ['/headers/accept'], PARTS],
    ['a pointer with a bad escape', ['/body/a~2'], PARTS],
    ['a range that ends before it begins', ['bytes=9-3'], PARTS],
    ['a long pointer', [`/body/${'a'.repeat(251)}`], PARTS],
    ['too many', Array<string>(101).fill('/body'), 'seen: must contain no more than 100 elements'],
    ['a text', '/body', 'seen: must be an array'],
  ])('refuses %s with 400, and approves nothing', async (_what, seen, error) => {
    const { status, body } = await approveSeen(seen);
    expect([status, body.error]).toEqual([400, error]);
    const { items } = await gateway.admin<ActionPage>('GET /approvals');
    expect(items).toHaveLength(1);
  });

  it('needs the digest, so that it is known of what it is', async () => {
    const { status, body } = await approveSeen(['/body'], false);
    expect([status, body.error]).toEqual([400, 'digest: must be given with seen']);
  });
});

describe('executing an approved action', () => {
  it('sends nothing when the service has another base URL now, even one that covers the target', async () => {
    const { action_id: id } = await hold();
    await gateway.approve(id);
    await moveService(gateway.upstream.url);
    const refused = await gateway.execute(id);
    expect([refused.status, refused.json().error]).toEqual([409, 'This action is not what was approved']);
    expect(refused.headers.get('x-error-code')).toBe('action_changed');
    expect(refused.json().next).toContain('new idempotency key');
    expect((await get(id)).status).toBe('APPROVED');
    expect(gateway.upstream.calls).toHaveLength(0);
    const [record] = await gateway.audit('&kind=execution');
    expect(record).toMatchObject({ outcome: 'refused', reason: 'This action is not what was approved', actionId: id });
  });

  it('returns 403 when the target is outside the new base URL of the service', async () => {
    const { action_id: id } = await hold();
    await gateway.approve(id);
    await moveService(`${gateway.upstream.url}/v2`);
    expect((await gateway.execute(id)).status).toBe(403);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('continues when the base URL is the same as at the approval', async () => {
    const { action_id: id } = await hold();
    await gateway.approve(id);
    const { baseUrl } = gateway.service;
    await moveService(gateway.upstream.url);
    await moveService(baseUrl);
    expect((await gateway.execute(id)).status).toBe(200);
  });
});
