import type { AuditPage, AuditRecord, RiskAssessment, RiskRule, RuleMatch } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';
import { team, type Team } from './support/team.js';

/** Rules that run without deciding. */
let gateway: Gateway;
let people: Team;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  people = team(gateway);
  await people.join('otto', 'auditor');
});
afterAll(() => gateway?.close());

const rules = () => `/services/${gateway.service.id}/risk-rules`;
const made: number[] = [];
const addRule = async (fields: object): Promise<RiskRule> => {
  const rule = await gateway.admin<RiskRule>(`POST ${rules()}`, { name: 'O', mode: 'observe', ...fields });
  made.push(rule.id);
  return rule;
};
beforeEach(() => gateway.model.answer({ score: 0, explanation: 'harmless' }));
afterEach(async () => {
  for (const id of made.splice(0)) await gateway.admin(`DELETE ${rules()}/${id}`);
});

let customers = 0;
const target = (folder = 'customers') => `${gateway.upstream.url}/v1/${folder}/${++customers}`;
const newest = async (query = ''): Promise<AuditRecord> => (await gateway.audit(`&kind=request${query}`))[0];

describe('an observed rule', () => {
  it('is enforced unless it says otherwise', async () => {
    expect((await addRule({ effect: 'deny', mode: undefined, pathPattern: '/never' })).mode).toBe('enforce');
  });

  it.each([
    ['deny', 'deny'],
    ['require_approval', 'hold'],
    ['allow', 'forward'],
  ])('with the effect %s decides nothing, and the record says what it would have done', async (effect, wouldBe) => {
    const rule = await addRule({ effect });
    const answer = await gateway.proxy({ targetUrl: target() });
    expect(answer.status).toBe(200);
    expect(gateway.model.calls.length).toBeGreaterThan(0);
    expect((await newest()).observed).toEqual([{ ruleId: rule.id, wouldBe }]);
  });

  it('is in the record of a request with a key, of a held one, of a refused one and of a dry run', async () => {
    const rule = await addRule({ effect: 'allow' });
    await gateway.proxy({ targetUrl: target(), method: 'POST', body: '{}', idempotencyKey: 'observed' });
    expect(await newest()).toMatchObject({ outcome: 'forwarded', observed: [{ ruleId: rule.id, wouldBe: 'forward' }] });
    await gateway.hold({ targetUrl: target() });
    expect(await newest()).toMatchObject({ outcome: 'held', observed: [{ ruleId: rule.id, wouldBe: 'forward' }] });
    gateway.model.answer({ score: 0, explanation: 'harmless' });
    await gateway.proxy({ targetUrl: target() }, { Prefer: 'handling=dry-run' });
    expect(await newest()).toMatchObject({ outcome: 'previewed', observed: [{ ruleId: rule.id, wouldBe: 'forward' }] });
    const no = await addRule({ effect: 'deny', mode: 'enforce', pathPattern: '/secrets/**' });
    expect((await gateway.proxy({ targetUrl: target('secrets') })).status).toBe(403);
    expect(await newest()).toMatchObject({ outcome: 'refused', observed: [{ ruleId: rule.id, wouldBe: 'deny' }] });
    expect(no.mode).toBe('enforce');
  });

  it('is compared with the rules that are enforced, in their order of force', async () => {
    await addRule({ effect: 'require_approval', mode: 'enforce', pathPattern: '/asked/*' });
    const allow = await addRule({ effect: 'allow' });
    const deny = await addRule({ effect: 'deny', pathPattern: '/asked/*' });
    expect((await gateway.proxy({ targetUrl: target('asked') })).status).toBe(428);
    expect((await newest()).observed).toEqual([
      { ruleId: deny.id, wouldBe: 'deny' },
      { ruleId: allow.id, wouldBe: 'hold' },
    ]);
  });

  it.each([
    ['deny', 'deny'],
    ['require_approval', 'hold'],
  ])('lifts no limit that is used up: %s', async (then, wouldBe) => {
    const folder = `limited-${then}`;
    const limit = { count: 1, per: 'day', then };
    await addRule({ effect: 'limit', mode: 'enforce', pathPattern: `/${folder}/*`, limit });
    const rule = await addRule({ effect: 'allow' });
    await gateway.proxy({ targetUrl: target(folder) });
    const body = { serviceId: gateway.service.id, agentId: gateway.agent.id, method: 'GET', intent: 'look' };
    const request = { ...body, targetUrl: target(folder) };
    const assessed = await gateway.admin<RiskAssessment>('POST /risk/assess', request);
    expect([assessed.decision, assessed.observed]).toEqual([wouldBe, [{ ruleId: rule.id, wouldBe }]]);
  });

  it.each([
    ['deny', 429, 'refused', 'deny', 'deny'],
    ['require_approval', 428, 'held', 'hold', 'deny'],
  ])(
    'is in the record of a request that does not fit when it is counted: %s',
    async (then, status, outcome, ofAllow, ofDeny) => {
      const folder = `counted-${then}`;
      const limit = { count: 1, per: 'day', then };
      await addRule({ effect: 'limit', mode: 'enforce', pathPattern: `/${folder}/*`, limit });
      // Without it, the limit is read before the model is asked.
      await addRule({ effect: 'allow', mode: 'enforce', pathPattern: `/${folder}/*` });
      const allow = await addRule({ effect: 'allow' });
      const deny = await addRule({ effect: 'deny' });
      expect((await gateway.proxy({ targetUrl: target(folder) })).status).toBe(200);
      const send = { method: 'POST', body: '{}' };
      for (const more of [{}, { ...send, idempotencyKey: `counted-${then}` }]) {
        const answer = await gateway.proxy({ targetUrl: target(folder), ...more });
        expect(answer.status).toBe(status);
        expect(await newest()).toMatchObject({
          outcome,
          riskExplanation: expect.stringContaining('Limit reached: ') as unknown,
          observed: [
            { ruleId: deny.id, wouldBe: ofDeny },
            { ruleId: allow.id, wouldBe: ofAllow },
          ],
        });
      }
    },
  );

  it('uses up nothing, and ends like another', async () => {
    const rule = await addRule({ effect: 'allow', maxUses: 1, expiresInMinutes: 5 });
    for (let i = 0; i < 3; i++) await gateway.proxy({ targetUrl: target() });
    const [stored] = (await gateway.admin<RiskRule[]>(`GET ${rules()}`)).filter(({ id }) => id === rule.id);
    expect(stored.uses).toBe(0);
    gateway.app.clock.advance({ minutes: 6 });
    await gateway.proxy({ targetUrl: target() });
    expect((await newest()).observed).toBeNull();
  });

  it('is hidden from agents', async () => {
    await addRule({ effect: 'deny', name: 'A trial of ours' });
    const described = await gateway.agentCall('GET', '/agent', undefined, {});
    expect([described.status, described.text.includes('A trial of ours')]).toEqual([200, false]);
    const dryRun = await gateway.proxy({ targetUrl: target() }, { Prefer: 'handling=dry-run' });
    expect([dryRun.status, dryRun.text.includes('observed')]).toEqual([200, false]);
  });

  it('is enforced from the next request on by one change, on every instance', async () => {
    const other = await gateway.secondInstance();
    try {
      const rule = await addRule({ effect: 'deny' });
      expect((await other.proxy({ targetUrl: target() })).status).toBe(200);
      await gateway.admin(`PUT ${rules()}/${rule.id}`, { mode: 'enforce' });
      expect((await other.proxy({ targetUrl: target() })).status).toBe(403);
      await gateway.admin(`PUT ${rules()}/${rule.id}`, { mode: 'observe' });
      expect((await other.proxy({ targetUrl: target() })).status).toBe(200);
    } finally {
      await other.app.close();
    }
  });

  it('costs services without one nothing in their records', async () => {
    await gateway.proxy({ targetUrl: target() });
    expect((await newest()).observed).toBeNull();
  });

  it('shows in a check of a request by a person', async () => {
    const rule = await addRule({ effect: 'deny' });
    const body = { serviceId: gateway.service.id, method: 'GET', targetUrl: target(), intent: 'look' };
    const assessed = await gateway.admin<RiskAssessment>('POST /risk/assess', body);
    expect([assessed.decision, assessed.observed]).toEqual(['forward', [{ ruleId: rule.id, wouldBe: 'deny' }]]);
  });
});

describe('the history', () => {
  it('finds the requests that an observed rule matched', async () => {
    const one = await addRule({ effect: 'deny', pathPattern: '/one/*' });
    const two = await addRule({ effect: 'deny', pathPattern: '/two/*' });
    for (const folder of ['one', 'two', 'one', 'three']) await gateway.proxy({ targetUrl: target(folder) });
    const found = await gateway.audit(`&observedRule=${one.id}`);
    expect(found.map(({ url }) => new URL(url!).pathname.split('/')[2])).toEqual(['one', 'one']);
    const both = await gateway.audit(`&observedRule=${two.id}&serviceId=${gateway.service.id}`);
    expect(both).toHaveLength(1);
    expect((await people.as<AuditPage>('otto', `GET /audit?observedRule=${one.id}`)).body.items).toHaveLength(2);
  });

  it.each(['0', '-1', 'x', '1.5', '99999999999'])('refuses the rule %s', async (id) => {
    const answer = await gateway.tryAdmin(`GET /audit?observedRule=${id}`);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('observedRule')]);
  });
});

describe('the mode of a rule', () => {
  it.each([['off'], [null], [1], ['OBSERVE']])('can not be %j', async (mode) => {
    const answer = await gateway.tryAdmin(`POST ${rules()}`, { name: 'R', effect: 'deny', mode });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^mode: /)]);
  });

  it('can not be observe where a rule decides nothing', async () => {
    const error = 'mode: a rule with the effect guidance can not be observed';
    const guidance = { name: 'G', effect: 'guidance', instruction: 'Be kind' };
    const answer = await gateway.tryAdmin(`POST ${rules()}`, { ...guidance, mode: 'observe' });
    expect([answer.status, answer.body.error]).toEqual([400, error]);
    const rule = await addRule({ ...guidance, mode: 'enforce' });
    const changed = await gateway.tryAdmin(`PUT ${rules()}/${rule.id}`, { mode: 'observe' });
    expect([changed.status, changed.body.error]).toEqual([400, error]);
  });

  it('is exported and imported', async () => {
    await addRule({ effect: 'deny', name: 'Observed one' });
    const path = `/workspaces/${people.workspaceId}`;
    const response = await fetch(`${gateway.url}${path}/export`, {
      headers: { Authorization: `Bearer ${gateway.token}` },
    });
    const yaml = await response.text();
    expect(yaml).toMatch(/name: Observed one\n\s+effect: deny\n\s+mode: observe\n/);
    const imported = await fetch(`${gateway.url}${path}/import?dryRun=true`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${gateway.token}`, 'Content-Type': 'application/yaml' },
      body: yaml.replace('mode: observe', 'mode: enforce'),
    });
    expect([imported.status, await imported.text()]).toEqual([200, expect.stringContaining('Observed one')]);
  });
});

describe('the last match of a rule', () => {
  const matches = () => gateway.admin<RuleMatch[]>(`GET ${rules()}/matches`);
  const lastOf = async ({ id }: RiskRule) => (await matches()).find(({ ruleId }) => ruleId === id);

  it('is remembered, whether the rule decides, is only observed, or a stronger one decides', async () => {
    const denied = await addRule({ effect: 'deny', mode: 'enforce', pathPattern: '/matched/**' });
    const weaker = await addRule({ effect: 'require_approval', mode: 'enforce', pathPattern: '/matched/*' });
    const observed = await addRule({ effect: 'allow', pathPattern: '/matched/*' });
    const other = await addRule({ effect: 'deny', mode: 'enforce', pathPattern: '/unmatched' });
    expect(await lastOf(denied)).toEqual({ ruleId: denied.id, lastMatchedAt: null, since: denied.createdAt });
    expect((await gateway.proxy({ targetUrl: target('matched') })).status).toBe(403);
    await gateway.app.settled();
    for (const rule of [denied, weaker, observed]) {
      expect(await lastOf(rule)).toEqual({
        ruleId: rule.id,
        lastMatchedAt: expect.stringMatching(/Z$/),
        since: rule.createdAt,
      });
    }
    expect((await lastOf(other))?.lastMatchedAt).toBeNull();
  });

  it('is no dry run', async () => {
    const rule = await addRule({ effect: 'allow', mode: 'enforce', pathPattern: '/dry/**' });
    await gateway.proxy({ targetUrl: target('dry') }, { Prefer: 'handling=dry-run' });
    await gateway.app.settled();
    expect((await lastOf(rule))?.lastMatchedAt).toBeNull();
  });

  it('is shown to auditors, makes no version of the rule, and goes with it', async () => {
    const rule = await addRule({ effect: 'allow', mode: 'enforce', pathPattern: '/seen/**' });
    await gateway.proxy({ targetUrl: target('seen') });
    await gateway.app.settled();
    const listed = await people.as<RuleMatch[]>('otto', `GET ${rules()}/matches`);
    expect(listed.body.find(({ ruleId }) => ruleId === rule.id)?.lastMatchedAt).not.toBeNull();
    expect(await gateway.admin(`GET ${rules()}/${rule.id}/versions`)).toHaveLength(1);
    await gateway.admin(`DELETE ${rules()}/${made.pop()!}`);
    expect(await lastOf(rule)).toBeUndefined();
  });
});
