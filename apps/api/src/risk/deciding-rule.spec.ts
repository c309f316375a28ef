import type { ServiceRule } from '../service-view/service-view.js';
import { decidingRule, decisionBy } from './deciding-rule.js';
import { serviceRule } from '../../test/support/service-rule.js';

const deny = serviceRule(1, { effect: 'deny' });
const soft = serviceRule(2, { exceptions: 'temporary' });
const other = serviceRule(3, { exceptions: 'temporary' });
const lifting = (...exceptionTo: number[]) => serviceRule(9, { effect: 'allow', pathPattern: '/x', exceptionTo });
const decided = (...rules: ServiceRule[]) => decidingRule(rules, [])?.id;

describe('an exception', () => {
  it('lifts the rules that it names', () => {
    expect(decided(soft, lifting(2))).toBe(9);
    expect(decided(soft, other, lifting(2, 3))).toBe(9);
    expect(decisionBy([soft, lifting(2)], [])).toBe('forward');
  });

  it('lifts nothing where another rule asks, or one denies', () => {
    expect(decided(soft, other, lifting(2))).toBe(2);
    expect(decided(soft, other, lifting(2), { ...lifting(3), id: 10 })).toBe(2);
    expect(decided(deny, soft, lifting(1, 2))).toBe(1);
  });

  it.each<[string, Partial<ServiceRule>]>([
    ['says so', { exceptions: 'none' }],
    ['never said otherwise', { exceptions: undefined }],
    ['asks several people', { exceptions: 'temporary', approvals: 2 }],
    ['names people', { exceptions: 'temporary', approverIds: [1] }],
  ])('does not lift a rule that %s', (_case, fields) => {
    expect(decided(serviceRule(2, fields), lifting(2))).toBe(2);
  });

  it('decides nothing where its rules don’t ask', () => {
    expect(decided(lifting(2))).toBeUndefined();
    expect(decisionBy([lifting(2)], [{ effect: 'delete', reason: 'r' }])).toBe('hold');
  });
});

it('an allow rule that is no exception lifts no rule that asks', () => {
  expect(decided(soft, serviceRule(9, { effect: 'allow', exceptionTo: [] }))).toBe(2);
});
