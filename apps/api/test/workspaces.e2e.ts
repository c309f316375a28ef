import type { ActionContext, Agent, AuditPage, Member, RiskRule, Workspace, WorkspaceSummary } from '#contracts';
import { call, login, register } from './support/accounts.js';
import { openEvents } from './support/event-stream.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
let mine: number;
/** Tokens by name. Ada owns the first workspace. */
const tokens: Record<string, string> = {};

const as = <T = { error: string }>(who: string, route: string, body?: object, workspaceId?: number) =>
  call<T>(gateway.app, route, {
    token: tokens[who],
    body,
    headers: workspaceId === undefined ? {} : { 'X-Workspace-Id': String(workspaceId) },
  });

async function join(who: string, role: string, workspaceId = mine): Promise<number> {
  const { id } = await register(gateway.app, `${who}@example.com`, { name: who });
  tokens[who] = (await login(gateway.app, `${who}@example.com`)).accessToken;
  await gateway.app.database.query('INSERT INTO workspace_members VALUES ($1, $2, $3, now())', [workspaceId, id, role]);
  return id;
}

beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  tokens.ada = gateway.token;
  mine = gateway.agent.userId;
});
afterAll(() => gateway?.close());

describe('registering', () => {
  it.each([
    ['by the name', { name: 'Zoë' }, "Zoë's workspace"],
    ['by the e-mail without a name', {}, "nameless's workspace"],
  ])('creates a workspace that is called %s', async (_how, extra, name) => {
    const { id } = await register(gateway.app, 'name' in extra ? 'zoe@example.com' : 'nameless@example.com', extra);
    const { accessToken: token } = await login(
      gateway.app,
      'name' in extra ? 'zoe@example.com' : 'nameless@example.com',
    );
    const { body } = await call<WorkspaceSummary[]>(gateway.app, 'GET /workspaces', { token });
    expect(body).toEqual([{ id, name, role: 'owner', pause: null, createdAt: expect.any(String) }]);
  });
});

describe('members of one workspace', () => {
  it('see and change the same resources, which keep the name of the person who made them', async () => {
    const bo = await join('bo', 'admin');
    const made = await as<{ agent: Agent }>(
      'bo',
      'POST /agents',
      { name: 'by-bo', serviceIds: [gateway.service.id] },
      mine,
    );
    expect([made.status, made.body.agent.userId]).toEqual([201, bo]);
    const seen = await as<Agent>('ada', `GET /agents/${made.body.agent.id}`);
    expect([seen.status, seen.body.userId]).toEqual([200, bo]);
    // Bo's own workspace does not contain the agent.
    expect((await as('bo', `GET /agents/${made.body.agent.id}`)).status).toBe(404);
    const { body } = await as<AuditPage>('ada', 'GET /audit?kind=change&limit=1');
    expect(body.items[0]).toMatchObject({ reason: 'agent.created', actor: { id: bo, name: 'bo' } });
  });

  it('decide about the same actions', async () => {
    const held = await gateway.hold();
    await join('cy', 'approver');
    expect((await as('cy', `PATCH /approvals/${held.action_id}/approve`, {}, mine)).status).toBe(200);
    const { body } = await as<{ resolved_by: object }>('ada', `GET /approvals/${held.action_id}`);
    expect(body.resolved_by).toMatchObject({ name: 'cy' });
  });

  it('are listed with their roles, and when they were last active', async () => {
    const { body } = await as<Member[]>('cy', `GET /workspaces/${mine}/members`);
    expect(body.map(({ name, role }) => [name, role])).toEqual([
      ['Ada', 'owner'],
      ['bo', 'admin'],
      ['cy', 'approver'],
    ]);
    await gateway.app.settled();
    const again = await as<Member[]>('cy', `GET /workspaces/${mine}/members`);
    expect(again.body.every(({ lastSeenAt }) => lastSeenAt !== null)).toBe(true);
  });

  it('have their logins recorded in each of their workspaces', async () => {
    await login(gateway.app, 'cy@example.com');
    await gateway.app.settled();
    for (const workspace of [mine, undefined]) {
      const { body } = await as<AuditPage>('cy', 'GET /audit?kind=access&limit=1', undefined, workspace);
      expect(body.items[0]).toMatchObject({ reason: 'login', actor: { name: 'cy' } });
    }
  });

  it('get its live updates, and no others, until they are removed', async () => {
    const id = await join('dan', 'auditor');
    const stream = await openEvents(gateway.url, tokens.dan, { 'X-Workspace-Id': String(mine) });
    const held = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/99` });
    await stream.next((event) => event.id === held.action_id);
    expect((await as('ada', `DELETE /workspaces/${mine}/members/${id}`)).status).toBe(200);
    await stream.ended;
    expect((await as('dan', 'GET /services', undefined, mine)).status).toBe(404);
  });
});

describe('an approver', () => {
  const rule = (extra: object) => ({ name: 'allow it', effect: 'allow', methods: ['GET'], ...extra });
  const inHours = (hours: number) => new Date(gateway.app.clock.nowMs() + hours * 3_600_000).toISOString();
  const add = (extra: object) =>
    as<RiskRule & { error: string }>('cy', `POST /services/${gateway.service.id}/risk-rules`, rule(extra), mine);

  it('may allow requests for the time that the workspace sets, and add no other rule', async () => {
    expect((await add({ expiresAt: inHours(23) })).status).toBe(201);
    const long = await add({ expiresAt: inHours(25) });
    expect([long.status, long.body.error]).toEqual([
      403,
      'expiresAt: approvers may allow requests for at most 24 hours; ask an admin for more',
    ]);
    expect((await add({})).status).toBe(403);
    const deny = await add({ effect: 'deny', expiresAt: inHours(1) });
    expect([deny.status, deny.body.error]).toEqual([403, 'Your role (approver) does not allow this']);
    const set = await as<Workspace>('ada', `PUT /workspaces/${mine}`, { settings: { approverRuleMaxHours: 48 } });
    expect(set.body.settings).toEqual({
      approverRuleMaxHours: 48,
      approveInNotificationsBelow: null,
      confirmEffects: [],
      confirmFromRisk: null,
      separationOfDuties: false,
      undoSeconds: 0,
    });
    expect((await add({ expiresAt: inHours(25) })).status).toBe(201);
  });

  it('makes a rule that lasts as long as it says, by the clock of the database', async () => {
    const held = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/7` });
    const databaseMs = async () => {
      const [{ ms }] = await gateway.app.database.query<{ ms: number }[]>(
        'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float AS ms',
      );
      return ms;
    };
    await as('ada', `PUT /workspaces/${mine}`, { settings: { approverRuleMaxHours: 1 } });
    const before = await databaseMs();
    const hour = await add({ expiresInMinutes: 60 });
    expect(hour.status).toBe(201);
    const begunAt = Date.parse(hour.body.expiresAt!) - 3_600_000;
    expect(begunAt).toBeGreaterThanOrEqual(before);
    expect(begunAt).toBeLessThanOrEqual(await databaseMs());
    expect((await add({ expiresInMinutes: 61 })).status).toBe(403);
    for (const minutes of [0, 1.5, -1, '60', null, 366 * 1440 + 1]) {
      expect([minutes, (await add({ expiresInMinutes: minutes })).status]).toEqual([minutes, 400]);
    }
    const both = await add({ expiresInMinutes: 60, expiresAt: hour.body.expiresAt });
    expect([both.status, both.body.error]).toEqual([400, 'expiresInMinutes: give either this or expiresAt']);

    const maxHours = async (who: string) =>
      (await as<ActionContext>(who, `GET /approvals/${held.action_id}/context`, undefined, mine)).body.allowSimilar
        ?.maxHours;
    expect([await maxHours('cy'), await maxHours('ada')]).toEqual([1, null]);
    await as('ada', `PUT /workspaces/${mine}`, { settings: { approverRuleMaxHours: 48 } });
  });
});

describe('settings', () => {
  it.each([
    [{}, 'At least one of name, settings is required'],
    [{ settings: {} }, 'settings.At least one of'],
    [{ settings: { confirmFromRisk: 1.5 } }, 'settings.confirmFromRisk'],
    [{ settings: { confirmEffects: ['read'] } }, 'settings.confirmEffects'],
    [{ settings: { approveInNotificationsBelow: -0.1 } }, 'settings.approveInNotificationsBelow'],
    [{ settings: { approverRuleMaxHours: 0 } }, 'settings.approverRuleMaxHours'],
    [{ settings: { approverRuleMaxHours: null } }, 'settings.approverRuleMaxHours'],
    [{ settings: { separationOfDuties: 'yes' } }, 'settings.separationOfDuties'],
    [{ settings: { undoSeconds: 31 } }, 'settings.undoSeconds'],
    [{ settings: { undoSeconds: -1 } }, 'settings.undoSeconds'],
    [{ settings: { undoSeconds: 2.5 } }, 'settings.undoSeconds'],
    [{ settings: 'x' }, 'settings'],
    [{ name: '  ' }, 'name'],
  ])('%j is refused', async (body, where) => {
    const answer = await as('ada', `PUT /workspaces/${mine}`, body);
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringContaining(where.replace('settings.At', 'At')),
    ]);
  });

  it('keep fields that a change does not name, and record the change', async () => {
    await as('ada', `PUT /workspaces/${mine}`, { settings: { confirmFromRisk: 0.5 } });
    await as('ada', `PUT /workspaces/${mine}`, { name: 'Acme', settings: { separationOfDuties: true } });
    const { body } = await as<Workspace>('cy', `GET /workspaces/${mine}`);
    expect(body).toMatchObject({
      name: 'Acme',
      role: 'approver',
      settings: { confirmFromRisk: 0.5, separationOfDuties: true, approverRuleMaxHours: 48 },
    });
    const audit = await as<AuditPage>('ada', 'GET /audit?kind=change&limit=1');
    expect(audit.body.items[0]).toMatchObject({ reason: 'workspace.updated', details: { to: { name: 'Acme' } } });
  });
});

describe('owners', () => {
  it('cannot remove or lower the last owner', async () => {
    for (const [route, body] of [
      [`PUT /workspaces/${mine}/members/${mine}`, { role: 'admin' }],
      [`DELETE /workspaces/${mine}/members/${mine}`, undefined],
    ] as const) {
      const { status, body: answered } = await as('ada', route, body);
      expect([status, answered.error]).toEqual([409, 'A workspace needs an owner']);
    }
    expect((await as('ada', 'GET /services')).status).toBe(200);
  });

  it('who lower each other at the same time leave one owner, 20 times', async () => {
    const eve = await join('eve', 'owner');
    for (let round = 0; round < 20; round++) {
      await gateway.app.database.query(
        `UPDATE workspace_members SET role = 'owner' WHERE workspace_id = $1 AND user_id = ANY($2)`,
        [mine, [mine, eve]],
      );
      const answers = await Promise.all([
        as('ada', `PUT /workspaces/${mine}/members/${eve}`, { role: 'auditor' }),
        as('eve', `PUT /workspaces/${mine}/members/${mine}`, { role: 'auditor' }, mine),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    }
    await gateway.app.database.query(
      `UPDATE workspace_members SET role = 'owner' WHERE workspace_id = $1 AND user_id = $2`,
      [mine, mine],
    );
  });

  it('are the only people who can remove others; everybody can leave', async () => {
    const fay = await join('fay', 'admin');
    expect((await as('fay', `DELETE /workspaces/${mine}/members/${mine}`)).body.error).toBe(
      'Your role (admin) does not allow this',
    );
    expect((await as('fay', `DELETE /workspaces/${mine}/members/${fay}`)).status).toBe(200);
    expect((await as('fay', `GET /workspaces/${mine}`)).status).toBe(404);
  });

  it.each([['boss'], [''], [null], [7]])('cannot give the role %j', async (role) => {
    expect((await as('ada', `PUT /workspaces/${mine}/members/${mine}`, { role })).status).toBe(400);
  });
});

describe('a workspace', () => {
  it('is created by anybody, and deleted by its owner while it is empty', async () => {
    const { status, body } = await as<Workspace>('bo', 'POST /workspaces', { name: ' Side project ' });
    expect([status, body.name, body.role]).toEqual([201, 'Side project', 'owner']);
    const service = { name: 'S', baseUrl: 'https://api.example.com', authType: 'none' };
    const made = await as<{ id: number }>('bo', 'POST /services', service, body.id);
    expect(made.status).toBe(201);
    const kept = await as('bo', `DELETE /workspaces/${body.id}`);
    expect([kept.status, kept.body.error]).toEqual([409, 'The workspace has services or agents: delete them first']);
    await as('bo', `DELETE /services/${made.body.id}`, undefined, body.id);
    expect((await as('bo', `DELETE /workspaces/${body.id}`)).status).toBe(200);
    expect((await as('bo', `GET /workspaces/${body.id}`)).status).toBe(404);
    expect((await as('bo', 'GET /services', undefined, body.id)).status).toBe(404);
  });

  it('deleted while a service is created: one of both happens, 20 times', async () => {
    for (let round = 0; round < 20; round++) {
      const { id } = (await as<Workspace>('bo', 'POST /workspaces', { name: 'Short' })).body;
      const [deleted, created] = await Promise.all([
        as('bo', `DELETE /workspaces/${id}`),
        as('bo', 'POST /services', { name: 'S', baseUrl: 'https://api.example.com', authType: 'none' }, id),
      ]);
      expect([
        [200, 404],
        [409, 201],
      ]).toContainEqual([deleted.status, created.status]);
    }
  });

  it('has a number that no account gets', async () => {
    const { id } = (await as<Workspace>('bo', 'POST /workspaces', { name: 'Numbered' })).body;
    const account = await register(gateway.app, 'later@example.com');
    expect(account.id).toBeGreaterThan(id);
  });
});
