import type { Action, AuditPage, Channel } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';
import { heldRequests } from './support/held-requests.js';
import { PushService } from './support/push-service.js';
import { team, type Team } from './support/team.js';

let gateway: Gateway;
let service: PushService;
let people: Team;
beforeAll(async () => {
  service = await PushService.start();
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true', PRIVATE_CHANNEL_ALLOWLIST: service.hostAndPort });
  people = team(gateway);
  await people.join('bo', 'approver');
  await people.join('cy', 'auditor');
});
afterAll(async () => {
  await gateway?.close();
  await service?.close();
});
beforeEach(async () => {
  for (const { id } of await gateway.admin<Channel[]>('GET /channels')) await gateway.admin(`DELETE /channels/${id}`);
  service.pushed.length = 0;
});
const { hold, storedAction } = heldRequests(() => gateway);

const allowBelow = (approveInNotificationsBelow: number | null) =>
  people.as('ada', `PUT /workspaces/${people.workspaceId}`, { settings: { approveInNotificationsBelow } });

/** Approves like the service worker does. */
const approve = (who: string, id: string, digest: string | null) =>
  people.as<Action & { error: string }>(who, `PATCH /approvals/${id}/approve`, { digest, from: 'notification' });

async function held(): Promise<{ id: string; digest: string; risk: number }> {
  const { action_id: id } = await hold();
  const { digest, risk_score: risk } = await storedAction(id);
  return { id, digest: digest!, risk };
}

it('is off until an owner chooses a risk, and then holds only below it', async () => {
  const { id, digest, risk } = await held();
  for (const below of [null, risk]) {
    expect((await allowBelow(below)).status).toBe(200);
    const { status, body } = await approve('bo', id, digest);
    expect([status, body.error]).toEqual([403, 'This request can be decided in the dashboard only']);
    expect((await storedAction(id)).status).toBe('PENDING');
  }
  await allowBelow(1);
  const { status, body } = await approve('bo', id, digest);
  expect([status, body.status]).toEqual([200, 'APPROVED']);
  const { items } = await gateway.admin<AuditPage>('GET /audit?kind=change&limit=1');
  expect(items[0]).toMatchObject({ reason: 'action.approved', details: { via: 'notification', digest } });
});

it('needs the digest of the request that the person saw, the right to decide, and a confirmation where the workspace asks for one', async () => {
  await allowBelow(1);
  const { id, digest } = await held();
  const blind = await people.as('bo', `PATCH /approvals/${id}/approve`, { from: 'notification' });
  expect([blind.status, blind.body.error]).toEqual([400, 'digest: must be given with from']);
  expect((await people.as('bo', `PATCH /approvals/${id}/approve`, { digest, from: 'elsewhere' })).status).toBe(400);
  expect((await approve('bo', id, '0'.repeat(64))).status).toBe(409);
  expect((await approve('cy', id, digest)).status).toBe(403);
  await people.as('ada', `PUT /workspaces/${people.workspaceId}`, { settings: { confirmFromRisk: 0 } });
  const unsure = await approve('bo', id, digest);
  expect([unsure.status, unsure.body.error]).toEqual([403, 'Confirm first that it is you']);
  expect((await storedAction(id)).status).toBe('PENDING');
  await gateway.app.database.query('UPDATE workspaces SET confirm_from_risk = NULL');
  expect((await approve('bo', id, digest)).status).toBe(200);
});

it('can be allowed by owners only', async () => {
  await people.join('di', 'admin');
  const { status } = await people.as('di', `PUT /workspaces/${people.workspaceId}`, {
    settings: { approveInNotificationsBelow: 1 },
  });
  expect(status).toBe(403);
});

it('is offered in messages about requests below the risk that is set when they are sent', async () => {
  const browser = service.subscriber();
  await gateway.admin('POST /channels', { type: 'webpush', name: 'Phone', subscription: browser.subscription });
  await allowBelow(null);
  await hold();
  await service.received(browser, 1);
  await allowBelow(1);
  await hold();
  const offered = (await service.received(browser, 2)).map(({ mayApprove }) => mayApprove);
  expect(offered).toEqual([false, true]);
});
