import type { RiskRule, RiskRuleVersion } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';
import { signUp } from './support/resources.js';
import { team, type Team } from './support/team.js';

/** What rules were after each change, and the way back. */
let gateway: Gateway;
let people: Team;
let rule: RiskRule;
let path: string;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  people = team(gateway);
  await people.join('otto', 'auditor');
  await people.join('abby', 'approver');
  await people.join('anna', 'admin');
});
afterAll(() => gateway?.close());

const rules = () => `/services/${gateway.service.id}/risk-rules`;
let made = 0;
beforeEach(async () => {
  const fields = { name: `R${++made}`, effect: 'deny', methods: ['DELETE'], pathPattern: '/customers/**' };
  rule = await gateway.admin<RiskRule>(`POST ${rules()}`, fields);
  path = `${rules()}/${rule.id}`;
});

const put = (body: object) => gateway.admin<RiskRule>(`PUT ${path}`, body);
const versions = () => gateway.admin<RiskRuleVersion[]>(`GET ${path}/versions`);
const restore = (version: number | string) =>
  gateway.tryAdmin<RiskRule & { error: string }>(`POST ${path}/versions/${version}/restore`);

describe('versions of a rule', () => {
  it('say who changed what and when, the newest first', async () => {
    const changed = (await people.as<RiskRule>('anna', `PUT ${path}`, { effect: 'require_approval', maxUses: 3 })).body;
    expect(await versions()).toEqual([
      {
        version: 2,
        at: expect.stringMatching(/Z$/),
        by: { id: people.findId('anna'), name: 'anna' },
        rule: { ...changed, updatedAt: expect.any(String) },
      },
      { version: 1, at: expect.stringMatching(/Z$/), by: { id: people.findId('ada'), name: 'Ada' }, rule },
    ]);
  });

  it('are not made by a use, nor by a change that changes nothing', async () => {
    await put({ name: rule.name });
    await gateway.app.database.query('UPDATE risk_rules SET uses = uses + 1 WHERE id = $1', [rule.id]);
    expect(await versions()).toHaveLength(1);
  });

  it('are made whoever changes the row', async () => {
    await gateway.app.database.query(`UPDATE risk_rules SET name = 'By hand' WHERE id = $1`, [rule.id]);
    expect((await versions()).map(({ by, rule: { name } }) => [by?.name, name])).toEqual([
      [undefined, 'By hand'],
      ['Ada', rule.name],
    ]);
  });

  it('are made by an import', async () => {
    const file = {
      version: 1,
      services: [
        {
          name: gateway.service.name,
          baseUrl: gateway.service.baseUrl,
          authType: 'bearer',
          rules: [{ name: 'Imported', effect: 'deny' }],
        },
      ],
      agents: [{ name: gateway.agent.name, services: [gateway.service.name] }],
    };
    await gateway.admin(`PUT /workspaces/${people.workspaceId}/import`, file);
    const imported = (await gateway.admin<RiskRule[]>(`GET ${rules()}`)).find(({ name }) => name === 'Imported')!;
    const [first] = await gateway.admin<RiskRuleVersion[]>(`GET ${rules()}/${imported.id}/versions`);
    expect([first.version, first.by?.name, first.rule.name]).toEqual([1, 'Ada', 'Imported']);
  });

  it('are the last hundred', async () => {
    await gateway.app.database.query(
      `DO $$ BEGIN FOR i IN 1..120 LOOP UPDATE risk_rules SET name = 'R' || i WHERE id = ${rule.id}; END LOOP; END $$`,
    );
    const kept = (await versions()).map(({ version }) => version);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([100, 121, 22]);
    expect((await restore(21)).status).toBe(404);
  });

  it('go with the rule', async () => {
    await gateway.admin(`DELETE ${path}`);
    expect((await gateway.tryAdmin(`GET ${path}/versions`)).status).toBe(404);
    const left = await gateway.app.database.query('SELECT FROM risk_rule_versions WHERE rule_id = $1', [rule.id]);
    expect(left).toEqual([]);
  });

  it('of other rules and workspaces are not found, and auditors can read them', async () => {
    const eve = await signUp(gateway.app, `eve-${rule.id}@example.com`);
    expect((await gateway.tryAdmin(`GET ${path}/versions`, undefined, eve)).status).toBe(404);
    expect((await gateway.tryAdmin(`POST ${path}/versions/1/restore`, undefined, eve)).status).toBe(404);
    expect((await gateway.tryAdmin(`GET ${rules()}/2147483647/versions`)).body.error).toBe('Risk rule not found');
    const other = await gateway.createService({ name: `Other ${rule.id}` });
    expect((await gateway.tryAdmin(`GET /services/${other.id}/risk-rules/${rule.id}/versions`)).status).toBe(404);
    expect((await people.as('otto', `GET ${path}/versions`)).status).toBe(200);
    expect((await people.as('otto', `POST ${path}/versions/1/restore`)).status).toBe(403);
    expect((await people.as('abby', `POST ${path}/versions/1/restore`)).status).toBe(403);
  });
});

describe('restoring a version', () => {
  it('is a change of its own, which the record names', async () => {
    await put({ effect: 'allow', methods: [], pathPattern: '' });
    const { status, body } = await restore(1);
    expect([status, body]).toEqual([200, { ...rule, updatedAt: expect.any(String) }]);
    expect((await versions()).map(({ version, rule: { effect } }) => [version, effect])).toEqual([
      [3, 'deny'],
      [2, 'allow'],
      [1, 'deny'],
    ]);
    const [record] = await gateway.audit('&kind=change');
    expect([record.reason, record.details]).toEqual([
      'risk_rule.updated',
      { rule: expect.objectContaining({ id: rule.id, effect: 'deny' }), restoredVersion: 1 },
    ]);
    expect(
      (await gateway.proxy({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1/customers/1` })).status,
    ).toBe(403);
  });

  it('does nothing where the rule is so already', async () => {
    const answer = await restore(1);
    expect([answer.status, answer.body.error]).toEqual([409, 'The risk rule is as in version 1 already']);
    expect(await versions()).toHaveLength(1);
  });

  it.each([['0'], ['x'], ['1.5'], ['99999999999']])('refuses the version %s', async (version) => {
    expect((await restore(version)).status).toBe(400);
  });

  it('finds no version that there is not', async () => {
    const answer = await restore(7);
    expect([answer.status, answer.body.error]).toEqual([404, 'Version of the risk rule not found']);
  });

  it('refuses one that names deleted agents', async () => {
    const { agent } = await gateway.createAgent('short-lived', [gateway.service.id]);
    await put({ agentIds: [agent.id] });
    await put({ agentIds: [] });
    await gateway.admin(`DELETE /agents/${agent.id}`);
    const answer = await restore(2);
    expect([answer.status, answer.body.error]).toEqual([409, `Version 2 names agents that were deleted: ${agent.id}`]);
  });

  it('refuses one that has ended', async () => {
    await put({ expiresAt: new Date(gateway.app.clock.nowMs() + 60_000).toISOString() });
    await put({ expiresAt: null });
    gateway.app.clock.advance({ minutes: 2 });
    const answer = await restore(2);
    expect([answer.status, answer.body.error]).toEqual([400, 'expiresAt: must be a date and time in the future']);
  });

  it('loses no version when people restore at once', async () => {
    await put({ name: 'Second' });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => restore((n % 2) + 1)));
    const done = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(12 - done);
    expect((await versions()).map(({ version }) => version)).toEqual(
      Array.from({ length: done + 2 }, (_, n) => done + 2 - n),
    );
  });
});

describe('with a setting that asks for confirmation', () => {
  it('restoring needs it', async () => {
    await put({ name: 'Second' });
    await gateway.app.database.query('UPDATE workspaces SET confirm_from_risk = 0.5 WHERE id = $1', [
      people.workspaceId,
    ]);
    try {
      const answer = await restore(1);
      expect([answer.status, answer.headers.get('X-Error-Code')]).toEqual([403, 'confirmation_required']);
    } finally {
      await gateway.app.database.query('UPDATE workspaces SET confirm_from_risk = NULL WHERE id = $1', [
        people.workspaceId,
      ]);
    }
  });
});
