import type { CreatedAccessToken, CreatedInvitation, Member, Workspace } from '#contracts';
import { call, PASSWORD, type Answer } from '../support/accounts.js';
import { startGateway, type Gateway } from '../support/gateway.js';
import { team, type Team } from '../support/team.js';

let gateway: Gateway;
let people: Team;
let home: string;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  people = team(gateway);
  home = `/workspaces/${people.workspaceId}`;
  await people.join('bo', 'auditor');
  await people.join('cy', 'admin');
  await gateway.admin(`PUT ${home}`, { settings: { confirmFromRisk: 0.5 } });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL'));

const outcomeOf = ({ status, headers }: Answer<unknown>) => [status, headers.get('x-error-code')];
const REFUSED = [403, 'confirmation_required'];
const tokenOf = (role: string) => ({
  name: 'CI',
  workspaceId: people.workspaceId,
  role,
  expiresAt: new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString(),
});

/** What somebody could do at the screen of an owner who has left it, to approve what needs a confirmation. */
describe('without a confirmation, nobody gets around one', () => {
  it.each(['admin', 'owner'])('by a token of an %s, which changes the setting and the rules', async (role) => {
    expect(outcomeOf(await gateway.tryAdmin('POST /auth/tokens', tokenOf(role)))).toEqual(REFUSED);
    expect(await gateway.admin('GET /auth/tokens')).toEqual([]);
    expect(outcomeOf(await people.as('cy', 'POST /auth/tokens', tokenOf('admin')))).toEqual(REFUSED);
  });

  it.each(['approver', 'admin', 'owner'])('by inviting themselves as %s', async (role) => {
    const invited = await gateway.tryAdmin(`POST ${home}/invitations`, { email: 'mallory@example.com', role });
    expect(outcomeOf(invited)).toEqual(REFUSED);
    expect(await gateway.admin(`GET ${home}/invitations`)).toEqual([]);
  });

  it.each(['approver', 'admin', 'owner'])('by making a member %s', async (role) => {
    const route = `PUT ${home}/members/${people.idOf('bo')}`;
    expect(outcomeOf(await gateway.tryAdmin(route, { role }))).toEqual(REFUSED);
    const members = await gateway.admin<Member[]>(`GET ${home}/members`);
    expect(members.find(({ name }) => name === 'bo')!.role).toBe('auditor');
  });
});

it('a confirmation, a lower right, or a workspace that asks for none lets it pass', async () => {
  const bo = `PUT ${home}/members/${people.idOf('bo')}`;
  const low = { email: 'dee@example.com', role: 'auditor' };
  expect((await gateway.tryAdmin('POST /auth/tokens', tokenOf('approver'))).status).toBe(201);
  expect((await gateway.tryAdmin(`POST ${home}/invitations`, low)).status).toBe(201);
  expect((await gateway.tryAdmin(`PUT ${home}/members/${people.idOf('cy')}`, { role: 'approver' })).status).toBe(200);

  await gateway.admin('POST /auth/confirm', { password: PASSWORD });
  const { token } = await gateway.admin<CreatedAccessToken>('POST /auth/tokens', tokenOf('owner'));
  await gateway.admin<CreatedInvitation>(`POST ${home}/invitations`, { ...low, role: 'owner' });
  await gateway.admin(bo, { role: 'approver' });

  // Programs of owners apply configuration, also this setting.
  const body = { settings: { confirmFromRisk: null } };
  expect((await call<Workspace>(gateway.app, `PUT ${home}`, { token, body })).status).toBe(200);
  await gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
  expect((await gateway.tryAdmin('POST /auth/tokens', tokenOf('owner'))).status).toBe(201);
  expect((await gateway.tryAdmin(bo, { role: 'owner' })).status).toBe(200);
});
