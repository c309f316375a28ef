import type { CreateRiskRuleRequest, RiskAssessment, RiskRule } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';

/** What `POST /risk/assess` says about each rule, and about what would change the decision. */
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

const path = () => `/services/${gateway.service.id}/risk-rules`;
const rule = (name: string, fields: Partial<CreateRiskRuleRequest>) =>
  gateway.admin<RiskRule>(`POST ${path()}`, { name, ...fields });
const assess = (body = '{"amount":50}', target = '/refunds') =>
  gateway.admin<RiskAssessment>('POST /risk/assess', {
    serviceId: gateway.service.id,
    agentId: gateway.agent.id,
    method: 'POST',
    targetUrl: `${gateway.upstream.url}/v1${target}`,
    headers: { 'Content-Type': 'application/json' },
    body,
    intent: 'refund',
  });

afterEach(async () => {
  for (const { id } of await gateway.admin<RiskRule[]>(`GET ${path()}`)) await gateway.admin(`DELETE ${path()}/${id}`);
});

it('says of each rule whether it matches, and why not', async () => {
  await rule('Other agents', {
    effect: 'deny',
    agentIds: [(await gateway.createAgent('other', [gateway.service.id])).agent.id],
  });
  await rule('Deletes', { effect: 'deny', methods: ['DELETE'] });
  await rule('Payouts', { effect: 'deny', pathPattern: '/payouts' });
  await rule('Large', { effect: 'require_approval', when: 'request.body.amount > 100' });
  await rule('Card', { effect: 'require_approval', when: 'request.body.card == "x"' });
  await rule('Small', { effect: 'allow', when: 'request.body.amount <= 50' });
  await rule('Off', { effect: 'deny', isActive: false });
  const { rules, decision, rule: decisive } = await assess();
  expect([decision, decisive?.name]).toEqual(['hold', 'Card']);
  expect(rules.map(({ name, mismatch, undecided }) => [name, mismatch, undecided === null])).toEqual([
    ['Other agents', 'agent', true],
    ['Deletes', 'method', true],
    ['Payouts', 'path', true],
    ['Large', 'condition', true],
    ['Card', null, false],
    ['Small', null, true],
  ]);
});

it('says how servers can read the path where that decides', async () => {
  await rule('Payouts', { effect: 'deny', pathPattern: '/payouts/*' });
  await rule('As sent', { effect: 'require_approval', pathPattern: '/x/**' });
  await rule('Elsewhere', { effect: 'require_approval', pathPattern: '/refunds' });
  await rule('Methods', { effect: 'deny', methods: ['GET'], pathPattern: '/payouts/*' });
  await rule('Below x', { effect: 'allow', pathPattern: '/x/*' });
  const read = async (target: string) =>
    (await assess('{}', target)).rules.map(({ name, mismatch, undecided, readAs }) => [
      name,
      mismatch,
      undecided,
      readAs,
    ]);
  const UNKNOWN = 'nobody can tell how servers read the path';
  expect(await read('/x/..%2fPayouts/1')).toEqual([
    ['Payouts', null, null, '/payouts/1'],
    ['Methods', 'method', null, null],
    ['As sent', null, null, null],
    ['Elsewhere', 'path', null, null],
    ['Below x', 'path', UNKNOWN, null],
  ]);
  expect(await read('/x/payouts')).toEqual([
    ['Payouts', 'path', null, null],
    ['Methods', 'method', null, null],
    ['As sent', null, null, null],
    ['Elsewhere', 'path', null, null],
    ['Below x', null, null, null],
  ]);
  expect((await read('/x/a%2fb')).at(-1)).toEqual(['Below x', 'path', null, '/x/a/b']);
  expect((await read(`/x/${'%2525;a/'.repeat(900)}`)).map(([name, , undecided]) => [name, undecided])).toEqual([
    ['Payouts', UNKNOWN],
    ['Methods', null],
    ['As sent', UNKNOWN],
    ['Elsewhere', UNKNOWN],
    ['Below x', UNKNOWN],
  ]);
});

it('says what would change the decision, and that is what happens', async () => {
  await rule('Never', { effect: 'deny', methods: ['POST'] });
  await rule('Ask', { effect: 'require_approval' });
  await rule('Ask too', { effect: 'require_approval', pathPattern: '/refunds' });
  await rule('Allow', { effect: 'allow', pathPattern: '/refunds' });
  const { otherwise, decision } = await assess();
  expect(decision).toBe('deny');
  expect(otherwise.map(({ withoutRules, by }) => [withoutRules.map(({ name }) => name), by?.name ?? null])).toEqual([
    [['Never'], 'Ask'],
    [['Never', 'Ask', 'Ask too'], 'Allow'],
    [['Never', 'Ask', 'Ask too', 'Allow'], null],
  ]);
  for (const { withoutRules, decision: expected } of otherwise) {
    for (const { id } of withoutRules) await gateway.admin(`PUT ${path()}/${id}`, { isActive: false });
    const after = await assess();
    if (expected === null) expect(after).toMatchObject({ source: 'model', otherwise: [] });
    else expect(after.decision).toBe(expected);
  }
});

it('says what would happen if the service did not ask', async () => {
  const askFor = async (effects: string[]) => {
    await gateway.admin(`PUT /services/${gateway.service.id}`, { askFor: effects });
    return assess();
  };
  expect(await askFor(['money'])).toMatchObject({
    decision: 'hold',
    source: 'effect',
    otherwise: [{ withoutRules: [], withoutAskFor: ['money'], decision: null, by: null }],
  });
  expect((await askFor([])).source).not.toBe('effect');
});
