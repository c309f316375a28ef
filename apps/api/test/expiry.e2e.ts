import type { Action, ActionPage } from '#contracts';
import { ApprovalQueue } from '../src/approvals/approval-queue.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;
const get = (actionId: string): Promise<Action> => gateway.admin<Action>(`GET /approvals/${actionId}`);
const list = (query: string): Promise<ActionPage> => gateway.admin<ActionPage>(`GET /approvals?${query}`);
const ids = ({ items }: ActionPage): string[] => items.map(({ action_id }) => action_id);

describe('expiry', () => {
  const storedStatus = async (id: string): Promise<string> => {
    const [{ status }] = await gateway.app.database.query<{ status: string }[]>(
      'SELECT status FROM actions WHERE id = $1',
      [id],
    );
    return status;
  };

  it('applies to an undecided action as soon as its time has passed, before the cleanup job runs', async () => {
    const { action_id } = await gateway.hold({ targetUrl: target('/late/1') });
    await gateway.app.advance({ hours: 24, seconds: -5 });
    await gateway.logInAgain();
    expect((await get(action_id)).status).toBe('PENDING');
    await gateway.app.advance({ seconds: 5 });
    expect((await get(action_id)).status).toBe('EXPIRED');
    expect((await gateway.status(action_id)).json()).toEqual({ status: 'EXPIRED', action_id });
    expect(ids(await list('limit=200'))).not.toContain(action_id);
    expect(ids(await list('limit=200&status=EXPIRED'))).toContain(action_id);
    for (const verb of ['approve', 'deny']) {
      const answer = await gateway.tryAdmin(`PATCH /approvals/${action_id}/${verb}`, {});
      expect(answer.body).toEqual({ error: 'Action is already EXPIRED', statusCode: 409 });
    }
    expect(await storedStatus(action_id)).toBe('PENDING');
  });

  it('also applies to an approval as soon as its time has passed', async () => {
    const { action_id } = await gateway.hold({ targetUrl: target('/late/2') });
    await gateway.approve(action_id);
    await gateway.app.advance({ minutes: 60 });
    await gateway.logInAgain();
    expect((await get(action_id)).status).toBe('EXPIRED');
    expect((await gateway.status(action_id)).json()).toEqual({ status: 'EXPIRED', action_id });
    expect(ids(await list('limit=200&status=APPROVED'))).not.toContain(action_id);
  });

  it('turns the same request into a new action', async () => {
    const first = await gateway.hold({ targetUrl: target('/late/3') });
    await gateway.app.advance({ hours: 24 });
    await gateway.logInAgain();
    const second = await gateway.hold({ targetUrl: target('/late/3') });
    expect(second.action_id).not.toBe(first.action_id);
    expect((await get(second.action_id)).times_asked).toBe(1);
  });

  it('is stored by the cleanup job, which leaves all other actions alone', async () => {
    const approved = (await gateway.hold({ targetUrl: target('/late/4') })).action_id;
    const undecided = (await gateway.hold({ targetUrl: target('/late/5') })).action_id;
    const denied = (await gateway.hold({ targetUrl: target('/late/6') })).action_id;
    await gateway.approve(approved);
    await gateway.deny(denied);
    const queue = gateway.app.app.get(ApprovalQueue);
    await queue.expire();
    expect([await storedStatus(approved), await storedStatus(undecided)]).toEqual(['APPROVED', 'PENDING']);
    await gateway.app.advance({ hours: 1 });
    expect(await queue.expire()).toBe(1);
    expect([await storedStatus(approved), await storedStatus(undecided)]).toEqual(['EXPIRED', 'PENDING']);
    await gateway.app.advance({ hours: 23 });
    expect(await queue.expire()).toBeGreaterThanOrEqual(1);
    expect([await storedStatus(undecided), await storedStatus(denied)]).toEqual(['EXPIRED', 'DENIED']);
    expect(await queue.expire()).toBe(0);
  });
});
