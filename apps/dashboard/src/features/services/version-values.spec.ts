import { riskRule } from '../../../test/support/risk-rule.js';
import { changedFields } from './changed-fields.js';
import { versionValue } from './version-values.js';

const names = { agent: (id: number) => `agent ${id}`, person: (id: number) => `person ${id}` };

it('says in words what two versions have in each field that differs', () => {
  const before = riskRule({ effect: 'require_approval', exceptions: 'temporary' });
  const after = riskRule({
    name: 'No',
    effect: 'limit',
    methods: ['PUT', 'DELETE'],
    pathPattern: '/a',
    when: 'request.body.amount > 5',
    agentIds: [3],
    approvals: 2,
    approverIds: [7, 8],
    instruction: 'Look',
    limit: { count: 1000, per: 'day', then: 'deny' },
    maxUses: 5,
    isActive: false,
    mode: 'observe',
  });
  const said = changedFields(before, after)!.map((field) => [
    field,
    versionValue(before, field, names),
    versionValue(after, field, names),
  ]);
  expect(said).toEqual([
    ['name', 'r', 'No'],
    ['effect', 'Ask', 'Limit'],
    ['methods', 'all', 'PUT, DELETE'],
    ['pathPattern', 'all', '/a'],
    ['when', 'none', 'amount > 5'],
    ['agentIds', 'all', 'agent 3'],
    ['approvals', '1', '2'],
    ['approverIds', 'all', 'person 7, person 8'],
    ['instruction', 'none', 'Look'],
    ['limit', 'none', 'to 1,000 per day, then refuse'],
    ['maxUses', 'none', '5'],
    ['isActive', 'on', 'off'],
    ['mode', 'enforced', 'only observed'],
    ['exceptions', 'can be lifted for a time', 'can’t be lifted'],
  ]);
});

it('says what a limit sums', () => {
  const limited = riskRule({
    effect: 'limit',
    limit: { count: 500, per: 'day', then: 'deny', sum: 'request.body.amount' },
  });
  expect(versionValue(limited, 'limit', names)).toBe('the total of request.body.amount to 500 per day, then refuse');
});
