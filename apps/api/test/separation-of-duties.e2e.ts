import type { Action, CreateAgentResponse, HeldResponse, RiskRule } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';
import { team, type Team } from './support/team.js';

let gateway: Gateway;
let people: Team;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  people = team(gateway);
  await people.join('bo', 'approver');
  await people.join('cy', 'admin');
  await people.join('di', 'auditor');
});
afterAll(() => gateway.close());

let serial = 0;
const setRole = (who: string, role: string) =>
  people.as('ada', `PUT /workspaces/${people.workspaceId}/members/${people.findId(who)}`, { role });
const rule = (fields: object) =>
  people.as<RiskRule & { error: string }>('ada', `POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Ask people',
    effect: 'require_approval',
    ...fields,
  });
/** An action that needs approvals because of a rule of its own. */
async function held(fields: object = {}): Promise<string> {
  const path = `/asked/${++serial}`;
  const made = await rule({ pathPattern: path, ...fields });
  expect(made.status).toBe(201);
  return (await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1${path}` })).action_id;
}
const approve = (who: string, id: string, body: object = {}) =>
  people.as<Action & { error: string }>(who, `PATCH /approvals/${id}/approve`, body);
const deny = (who: string, id: string) => people.as<Action & { error: string }>(who, `PATCH /approvals/${id}/deny`, {});
/** Gives the agent a new key. @returns it */
const rotate = async (who: string, body: object = {}): Promise<string> =>
  (await people.as<{ apiKey: string }>(who, `POST /agents/${gateway.agent.id}/rotate-key`, body)).body.apiKey;
const seenBy = async (who: string, id: string): Promise<Action> =>
  (await people.as<Action>(who, `GET /approvals/${id}`)).body;

describe('separation of duties', () => {
  const separate = (separationOfDuties: boolean) =>
    people.as('ada', `PUT /workspaces/${people.workspaceId}`, { settings: { separationOfDuties } });
  afterEach(() => separate(false));

  it('keeps the person who made the agent from approving, but not from denying', async () => {
    await separate(true);
    const id = await held();
    expect((await seenBy('ada', id)).approvals).toMatchObject({
      you: 'may_not',
      whyNot: 'made_agent',
      mayApprove: [{ name: 'bo' }, { name: 'cy' }],
    });
    const { status, body } = await approve('ada', id);
    expect([status, body.error]).toEqual([403, 'You may not decide this action']);
    expect((await deny('ada', id)).status).toBe(200);
  });

  it('does not let the person who rotated the key last approve, and does not count the approvals that they gave before', async () => {
    const id = await held({ approvals: 2 });
    await approve('cy', id);
    await separate(true);
    expect((await seenBy('bo', id)).approvals.given).toHaveLength(1);
    gateway.agentKey = await rotate('cy');
    expect((await seenBy('bo', id)).approvals).toMatchObject({ given: [], mayApprove: [{ name: 'bo' }], tooFew: true });
    expect((await approve('cy', id)).status).toBe(403);
    expect((await approve('bo', id)).body.status).toBe('PENDING');
  });

  it('does not let a person approve if a key that they rotated worked when the request came, or works now', async () => {
    await setRole('bo', 'admin');
    gateway.agentKey = await rotate('bo');
    await separate(true);
    // Bo's key works for an hour beside the new one.
    gateway.agentKey = await rotate('cy', { graceMinutes: 60 });
    const id = await held();
    expect((await seenBy('ada', id)).approvals.mayApprove).toEqual([]);
    expect((await approve('bo', id)).status).toBe(403);
    expect((await approve('cy', id)).status).toBe(403);
    await people.as('ada', `DELETE /agents/${gateway.agent.id}/previous-keys`);
    // Bo's key worked when this was asked, so Bo may have asked it.
    expect((await seenBy('ada', id)).approvals.mayApprove).toEqual([]);
    expect((await approve('bo', id)).status).toBe(403);
    const later = await held();
    expect((await seenBy('bo', later)).approvals.mayApprove).toMatchObject([{ name: 'bo' }]);
    expect((await approve('bo', later)).status).toBe(200);
    await setRole('bo', 'approver');
  });

  it('does not let a person approve a request that used their key, even if the key ended during the assessment', async () => {
    await setRole('bo', 'admin');
    await separate(true);
    gateway.agentKey = await rotate('bo');
    const next = await rotate('cy', { graceMinutes: 60 });
    gateway.model.answer(async () => {
      // Without the trigger: the time of a key ends without a change.
      await gateway.app.database.query(`BEGIN; SET LOCAL session_replication_role = replica;
        UPDATE previous_agent_keys SET expires_at = now(); COMMIT`);
      return { score: 1 };
    });
    const held = await gateway.proxy({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1/customers/slow` });
    const { action_id: id } = held.json<HeldResponse>();
    gateway.agentKey = next;
    expect((await approve('bo', id)).status).toBe(403);
    await setRole('bo', 'approver');
  });

  it('does not let a person approve a waiting action that was requested again with their key', async () => {
    await setRole('bo', 'admin');
    await separate(true);
    const targetUrl = `${gateway.upstream.url}/v1/customers/asked-twice`;
    const { action_id: id } = await gateway.hold({ targetUrl });
    gateway.agentKey = await rotate('bo');
    expect((await gateway.hold({ targetUrl })).action_id).toBe(id);
    gateway.agentKey = await rotate('cy');
    expect((await approve('bo', id)).status).toBe(403);
    await setRole('bo', 'approver');
  });

  it('does not let a person approve the revision of an action that was requested with their key, even after the key ended', async () => {
    await setRole('bo', 'admin');
    await separate(true);
    gateway.agentKey = await rotate('bo');
    await rule({ pathPattern: '/revised/**', approvals: 2 });
    const { action_id: asked } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/revised/1` });
    gateway.agentKey = await rotate('ada');
    const targetUrl = `${gateway.upstream.url}/v1/revised/2`;
    const revised = await people.as<Action>('cy', `POST /approvals/${asked}/revise`, { targetUrl });
    expect([revised.status, revised.body.status]).toEqual([201, 'PENDING']);
    expect((await approve('bo', revised.body.action_id)).status).toBe(403);
    await setRole('bo', 'approver');
  });

  it('keeps an approver who made an agent from allowing its requests for a time', async () => {
    await setRole('bo', 'admin');
    const { agent } = (
      await people.as<CreateAgentResponse>('bo', 'POST /agents', { name: 'of bo', serviceIds: [gateway.service.id] })
    ).body;
    await setRole('bo', 'approver');
    await separate(true);
    const allow = async (agentIds: number[]) => {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const rules = `POST /services/${gateway.service.id}/risk-rules`;
      const fields = { name: 'similar', effect: 'allow', methods: ['HEAD'], expiresAt, agentIds };
      const { status, body } = await people.as('bo', rules, fields);
      return [status, body.error];
    };
    const refused = [403, 'You may not allow requests of an agent that you made, or whose working key you rotated'];
    expect(await allow([agent.id])).toEqual(refused);
    expect(await allow([])).toEqual(refused);
    expect(await allow([gateway.agent.id])).toEqual([201, undefined]);
    await separate(false);
    expect(await allow([agent.id])).toEqual([201, undefined]);
  });
});
