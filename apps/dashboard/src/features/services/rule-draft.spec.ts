import { riskRule } from '../../../test/support/risk-rule.js';
import { EMPTY_PART } from '../../lib/condition.js';
import {
  EMPTY_RULE,
  groupByForce,
  isUnbounded,
  ruleFault,
  ruleState,
  toExceptionChange,
  toRequest,
  toRuleDraft,
  type RuleDraft,
} from './rule-draft.js';

const NOW = Date.parse('2026-05-01T12:00:00.000Z');

describe('a rule draft', () => {
  it('is observed only if it decides something', () => {
    const observed = { ...EMPTY_RULE, mode: 'observe' as const };
    expect(toRequest(observed, '').mode).toBe('observe');
    expect(toRequest({ ...observed, effect: 'guidance', instruction: 'x' }, '').mode).toBe('enforce');
    expect(toRequest({ ...observed, effect: 'limit', limitCount: '5' }, '').mode).toBe('enforce');
  });

  it('becomes a request: trimmed, with an end time and a name', () => {
    const draft = { ...EMPTY_RULE, pathPattern: ' /a/** ', ends: 60, maxUses: '3', instruction: 'left over' };
    expect(toRequest(draft, 'Suggested')).toMatchObject({
      name: 'Suggested',
      pathPattern: '/a/**',
      instruction: '',
      expiresInMinutes: 60,
      maxUses: 3,
    });
  });

  it('keeps the existing end until the user chooses another', () => {
    const saved = riskRule({ expiresAt: '2026-05-01T17:00:00.000Z', maxUses: 5 });
    expect(toRequest(toRuleDraft(saved), '')).toMatchObject({ expiresAt: saved.expiresAt, maxUses: 5 });
    expect(toRequest({ ...toRuleDraft(saved), ends: 'never', maxUses: '' }, '')).toMatchObject({
      expiresAt: null,
      maxUses: null,
    });
  });

  it('says why it cannot be saved', () => {
    expect(ruleFault(EMPTY_RULE)).toBeNull();
    expect(ruleFault({ ...EMPTY_RULE, pathPattern: 'customers' })).toBe('path');
    expect(ruleFault({ ...EMPTY_RULE, effect: 'guidance' })).toBe('instruction');
    expect(ruleFault({ ...EMPTY_RULE, maxUses: '0' })).toBe('uses');
    expect(ruleFault({ ...EMPTY_RULE, parts: [EMPTY_PART] })).toBe('condition');
    expect(ruleFault({ ...EMPTY_RULE, parts: null, when: 'x'.repeat(1001) })).toBe('longCondition');
  });

  it('opens a simple condition as fields and every other one as CEL, and changes neither', () => {
    const opened = (when: string) => toRuleDraft(riskRule({ when }));
    expect(opened('request.body.amount > 100').parts).toHaveLength(1);
    expect(opened('request.body.amount > 100 || firstTime').parts).toBeNull();
    for (const when of ['', 'request.body.amount > 100', 'request.body.amount > 100 || firstTime']) {
      expect(toRequest(opened(when), '').when).toBe(when);
    }
  });

  it('has a limit only with this effect', () => {
    const draft = { ...EMPTY_RULE, effect: 'limit' as const, limitCount: '7', maxUses: '3' };
    expect(toRequest(draft, '')).toMatchObject({ limit: { count: 7, per: 'hour', then: 'deny' }, maxUses: null });
    expect(toRequest({ ...draft, effect: 'deny' }, '')).toMatchObject({ limit: null, maxUses: 3 });
    const saved = riskRule({ effect: 'limit', limit: { count: 2, per: 'day', then: 'require_approval' } });
    expect(toRequest(toRuleDraft(saved), '').limit).toEqual(saved.limit);
    for (const limitCount of ['', '0', '-1', '1.5', 'many', '1000000000000']) {
      expect(ruleFault({ ...draft, limitCount })).toBe('limit');
    }
  });

  it('has a limit of a sum, which may have decimals', () => {
    const draft = { ...EMPTY_RULE, effect: 'limit' as const, limitCount: '499.99', limitSum: ' request.body.amount ' };
    const limit = { count: 499.99, per: 'hour', then: 'deny', sum: 'request.body.amount' };
    expect([ruleFault(draft), toRequest(draft, '').limit]).toEqual([null, limit]);
    const saved = riskRule({ effect: 'limit', limit: { count: 0.5, per: 'day', then: 'deny', sum: 'request.size' } });
    expect(toRequest(toRuleDraft(saved), '').limit).toEqual(saved.limit);
    expect(ruleFault({ ...draft, limitSum: ' ' })).toBe('limit');
    for (const limitCount of ['', '0', '0.0', '-1', '1e3', '1.1234567', '5,00', '1000000000000']) {
      expect(ruleFault({ ...draft, limitCount })).toBe('total');
    }
  });

  it('changes of an exception only its name and its end, which it keeps as they are', () => {
    const saved = riskRule({ name: 'For an hour', exceptionTo: [2], expiresAt: '2026-05-01T17:00:00.000Z' });
    const draft = toRuleDraft(saved);
    expect(toExceptionChange({ ...draft, name: ' ' }, saved)).toEqual({ name: 'For an hour', maxUses: null });
    const changed = { ...draft, name: ' Shorter ', ends: 15, maxUses: '2' };
    expect(toExceptionChange(changed, saved)).toEqual({ name: 'Shorter', expiresInMinutes: 15, maxUses: 2 });
  });

  it('can have exceptions only while it asks one person, whoever it is', () => {
    const exceptions = (change: Partial<RuleDraft>) => toRequest({ ...EMPTY_RULE, ...change }, '').exceptions;
    expect([exceptions({}), exceptions({ exceptions: 'none' })]).toEqual(['temporary', 'none']);
    for (const change of [{ approvals: 2 }, { approverIds: [1] }, { effect: 'deny' }] satisfies Partial<RuleDraft>[]) {
      expect(exceptions(change)).toBe('none');
    }
  });

  it('is unbounded only if it allows everything forever', () => {
    expect(isUnbounded({ ...EMPTY_RULE, effect: 'allow' })).toBe(true);
    expect(isUnbounded({ ...EMPTY_RULE, effect: 'allow', methods: ['GET'] })).toBe(false);
    expect(isUnbounded({ ...EMPTY_RULE, effect: 'allow', ends: 15 })).toBe(false);
    expect(isUnbounded({ ...EMPTY_RULE, effect: 'allow', parts: null, when: 'firstTime' })).toBe(false);
    expect(isUnbounded(EMPTY_RULE)).toBe(false);
  });
});

it('a saved rule is expired, used up, off or active', () => {
  expect(ruleState(riskRule({ expiresAt: '2026-05-01T12:00:00.000Z' }), NOW)).toBe('over');
  expect(ruleState(riskRule({ maxUses: 2, uses: 2 }), NOW)).toBe('usedUp');
  expect(ruleState(riskRule({ isActive: false }), NOW)).toBe('off');
  expect(ruleState(riskRule({ expiresAt: '2026-05-01T12:00:01.000Z' }), NOW)).toBe('active');
});

it('rules are sorted by precedence, the oldest first', () => {
  const rules = [riskRule({ id: 1 }), riskRule({ id: 2, effect: 'deny' }), riskRule({ id: 3 })];
  expect(groupByForce(rules).map((group) => [group.effect, group.rules.map(({ id }) => id)])).toEqual([
    ['deny', [2]],
    ['allow', [1, 3]],
  ]);
});
