import fc from 'fast-check';
import type { RequestEffect } from '#contracts/risk';
import { RULE_EFFECTS } from '#contracts/states';
import { byForce } from '../rules/rule-matching.js';
import type { ServiceRule } from '../service-view/service-view.js';
import { alternatives } from './alternatives.js';
import type { LimitState } from './limits/limit-to-count.js';
import { serviceRule } from '../../test/support/service-rule.js';

const rule = (id: number, change: Partial<ServiceRule>): ServiceRule =>
  serviceRule(id, { pathPattern: '/x', ...change });
const limited = (id: number, then: 'deny' | 'require_approval') =>
  rule(id, { effect: 'limit', limit: { count: 1, per: 'day', then } });
const stateOf = ({ id, name, limit }: ServiceRule, fits: boolean): LimitState => ({
  rule: { id, name },
  limit: limit!,
  amount: '1',
  used: fits ? 0 : 1,
  fits,
  resetsInSeconds: 60,
});
const money: RequestEffect = { effect: 'money', reason: 'moves money' };
const said = (rules: ServiceRule[], asked: RequestEffect[] = [], limits: LimitState[] = []) =>
  alternatives({ rules: [...rules].sort(byForce), asked, limits }).map(
    ({ withoutRules, withoutAskFor, decision, by }) => [
      [...withoutRules.map(({ name }) => name), ...withoutAskFor].join(' '),
      decision,
      by?.name ?? null,
    ],
  );

it('goes through what decides, the strongest first', () => {
  const all = [rule(1, { effect: 'deny' }), rule(2, {}), rule(3, {}), rule(4, { effect: 'allow' })];
  expect(said(all)).toEqual([
    ['R1', 'hold', 'R2'],
    ['R1 R2 R3', 'forward', 'R4'],
    ['R1 R2 R3 R4', null, null],
  ]);
});

it('says what would be asked about without a permission, and the score after that', () => {
  expect(said([rule(1, { effect: 'allow' })], [money])).toEqual([
    ['R1', 'hold', null],
    ['R1 money', null, null],
  ]);
  const everywhere = rule(1, { effect: 'allow', pathPattern: '' });
  expect(said([everywhere], [money])).toEqual([
    ['money', 'forward', 'R1'],
    ['R1 money', null, null],
  ]);
});

it('takes a used-up limit for what it is, and one with room for nothing', () => {
  const asks = limited(1, 'require_approval');
  expect(said([asks, rule(2, { effect: 'allow' })], [], [stateOf(asks, false)])).toEqual([
    ['R1', 'forward', 'R2'],
    ['R1 R2', null, null],
  ]);
  expect(said([asks], [], [stateOf(asks, true)])).toEqual([]);
});

it('lifts what an exception lifts, and says what would hold the request without it', () => {
  const soft = rule(1, { exceptions: 'temporary' });
  const exception = rule(2, { effect: 'allow', exceptionTo: [1] });
  expect(said([soft, exception])).toEqual([
    ['R2', 'hold', 'R1'],
    ['R2 R1', null, null],
  ]);
});

it('is empty where the score decides', () => {
  expect(said([])).toEqual([]);
  expect(said([rule(1, { effect: 'guidance' })])).toEqual([]);
});

const anyRule = fc
  .record({
    effect: fc.constantFrom(...RULE_EFFECTS),
    pathPattern: fc.constantFrom('', '/x'),
    fits: fc.boolean(),
    then: fc.constantFrom('deny' as const, 'require_approval' as const),
  })
  .map(({ effect, pathPattern, fits, then }) => ({
    fits,
    fields: { effect, pathPattern, limit: effect === 'limit' ? { count: 1, per: 'day' as const, then } : null },
  }));

/** The order of force as docs/reference/risk.md#order has it, without exceptions. */
function byOrder(rules: readonly ServiceRule[], asked: readonly RequestEffect[], limits: readonly LimitState[]) {
  const is = (effect: string) => rules.some((each) => each.effect === effect);
  const reached = limits.filter(({ rule: { id }, fits }) => !fits && rules.some((each) => each.id === id));
  if (is('deny') || reached.some(({ limit }) => limit.then === 'deny')) return 'deny';
  if (reached.length > 0 || is('require_approval')) return 'hold';
  const allowing = rules.filter(({ effect }) => effect === 'allow');
  if (allowing.some(({ pathPattern }) => asked.length === 0 || pathPattern !== '')) return 'forward';
  return asked.length > 0 ? 'hold' : null;
}

it('says for each step what the order of force says', () => {
  const cases = fc.tuple(fc.array(anyRule, { maxLength: 6 }), fc.boolean());
  fc.assert(
    fc.property(cases, ([made, asks]) => {
      const rules = made.map(({ fields }, index) => rule(index + 1, fields)).sort(byForce);
      const limits = rules.flatMap((each) => (each.limit ? [stateOf(each, made[each.id - 1].fits)] : []));
      const asked = asks ? [money] : [];
      let before = byOrder(rules, asked, limits);
      for (const { withoutRules, withoutAskFor, decision } of alternatives({ rules, asked, limits })) {
        const left = rules.filter(({ id }) => !withoutRules.some((gone) => gone.id === id));
        expect(decision).toBe(byOrder(left, withoutAskFor.length > 0 ? [] : asked, limits));
        expect(decision).not.toBe(before);
        before = decision;
      }
      // The last step leaves the score.
      expect(before).toBeNull();
    }),
  );
});
