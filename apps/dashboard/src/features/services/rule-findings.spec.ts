import type { RiskRule } from '#contracts';
import { riskRule } from '../../../test/support/risk-rule.js';
import { askedTogether, findingsOf } from './rule-findings.js';

const NOW = Date.parse('2026-05-01T12:00:00.000Z');
const daysAgo = (days: number): string => new Date(NOW - days * 24 * 60 * 60 * 1000).toISOString();

/** What is said of the second of two rules. */
function said(first: Partial<RiskRule>, second: Partial<RiskRule>): string {
  const rules = [riskRule({ id: 1, name: 'first', ...first }), riskRule({ id: 2, name: 'second', ...second })];
  const { hiddenBy, opposite } = findingsOf(rules, [], NOW).get(2) ?? {};
  return [hiddenBy && `hidden by ${hiddenBy.name}`, opposite && `opposite of ${opposite.name}`].filter(Boolean).join();
}

const DENY = { effect: 'deny', pathPattern: '/customers/**' } as const;
const ASK = { effect: 'require_approval', pathPattern: '/customers/**' } as const;
const ALLOW = { effect: 'allow', pathPattern: '/customers/**' } as const;
const INNER = { pathPattern: '/customers/*' } as const;

describe('a rule that a stronger one hides', () => {
  it.each<[string, Partial<RiskRule>, Partial<RiskRule>]>([
    ['a limit by a denial', DENY, { effect: 'limit', ...INNER }],
    ['a question by a denial', DENY, { ...ASK, ...INNER }],
    ['a permission by a question', ASK, { ...ALLOW, ...INNER }],
    ['a permission with a condition', ASK, { ...ALLOW, when: 'firstTime' }],
    ['an instruction by a permission', ALLOW, { effect: 'guidance', ...INNER }],
    ['a permission by an older, wider one', ALLOW, { ...ALLOW, ...INNER }],
    ['a question by an older one that asks more people', { ...ASK, approvals: 2 }, { ...ASK, ...INNER }],
    ['a pattern with a last slash', DENY, { ...ASK, pathPattern: '/customers/42/' }],
    ['an encoded pattern', { effect: 'deny' }, { ...ASK, pathPattern: '/customers%2F42' }],
    ['the same encoded pattern', { ...DENY, pathPattern: '/a%2Fb' }, { ...ASK, pathPattern: '/a%2Fb' }],
    ['narrower methods', { ...DENY, methods: ['POST', 'DELETE'] }, { ...ASK, methods: ['DELETE'] }],
    ['fewer agents', { ...DENY, agentIds: [1, 2] }, { ...ASK, agentIds: [2] }],
    [
      'a narrower rule with the same condition',
      { ...DENY, when: 'firstTime' },
      { ...ASK, ...INNER, when: 'firstTime' },
    ],
    ['a rule that ends earlier', { ...DENY, expiresAt: daysAgo(-2) }, { ...ASK, ...INNER, expiresAt: daysAgo(-1) }],
    ['an exception to another rule', ASK, { ...ALLOW, ...INNER, exceptionTo: [7] }],
  ])('is named: %s', (_, strong, weak) => expect(said(strong, weak)).toBe('hidden by first'));

  it.each<[string, Partial<RiskRule>, Partial<RiskRule>]>([
    ['other paths', { ...DENY, ...INNER }, ASK],
    ['a pattern without its last slash', { ...DENY, ...INNER }, { ...ASK, pathPattern: '/customers/' }],
    ['a pattern that is decoded', { ...DENY, pathPattern: '/*' }, { ...ASK, pathPattern: '/customers%2F42' }],
    ['more methods', { ...DENY, methods: ['DELETE'] }, { ...ASK, methods: ['DELETE', 'PUT'] }],
    ['every method', { ...DENY, methods: ['DELETE'] }, ASK],
    ['every agent', { ...DENY, agentIds: [1] }, ASK],
    ['a condition of the stronger one', { ...DENY, when: 'firstTime' }, ASK],
    ['a stronger one that is off', { ...DENY, isActive: false }, ASK],
    ['a stronger one that is only observed', { ...DENY, mode: 'observe' }, ASK],
    ['a stronger one that ends earlier', { ...DENY, expiresAt: daysAgo(-1) }, ASK],
    ['a stronger one that ends by its use', { ...DENY, maxUses: 5 }, ASK],
    ['a rule that is off', DENY, { ...ASK, isActive: false }],
    ['a rule that is only observed', DENY, { ...ASK, mode: 'observe' }],
    ['a limit, which decides only while it is used up', { ...DENY, effect: 'limit' }, { ...ALLOW, ...INNER }],
    ['a limit before a question', ASK, { effect: 'limit', ...INNER }],
    ['a weaker one', { ...ALLOW }, { ...DENY, ...INNER }],
    ['a question that asks more people', ASK, { ...ASK, ...INNER, approvals: 2 }],
    ['a question that names people', ASK, { ...ASK, ...INNER, approverIds: [3] }],
    ['a question that nothing may lift', { ...ASK, exceptions: 'temporary' }, { ...ASK, ...INNER, exceptions: 'none' }],
    ['an exception to the rule', ASK, { ...ALLOW, ...INNER, exceptionTo: [1] }],
    ['an exception as the stronger one', { ...ALLOW, exceptionTo: [7] }, { effect: 'guidance', ...INNER }],
    ['a permission that lifts what the service asks about', { effect: 'allow' }, { ...ALLOW, ...INNER }],
    [
      'an instruction that is read only if all readings fit',
      { ...ALLOW, when: 'firstTime' },
      { effect: 'guidance', pathPattern: '/customers/**', when: 'firstTime' },
    ],
  ])('is not named: %s', (_, strong, weak) => expect(said(strong, weak)).toBe(''));

  it('is hidden by the strongest of several', () => {
    const rules = [riskRule({ ...ASK, id: 1 }), riskRule({ ...DENY, id: 2 }), riskRule({ ...ALLOW, ...INNER, id: 3 })];
    expect(findingsOf(rules, [], NOW).get(3)?.hiddenBy?.id).toBe(2);
  });
});

describe('a rule that says the opposite of another', () => {
  it.each<[string, Partial<RiskRule>, Partial<RiskRule>]>([
    ['of a denial', DENY, ALLOW],
    ['of a question', ASK, ALLOW],
    ['of a permission', ALLOW, DENY],
    ['with the same condition', { ...DENY, when: 'firstTime' }, { ...ALLOW, when: 'firstTime' }],
    [
      'with all methods, and with none',
      { ...DENY, methods: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'] },
      ALLOW,
    ],
    ['with a pattern that is written in another way', { ...DENY, pathPattern: '' }, { ...ALLOW, pathPattern: '**' }],
  ])('is named: %s', (_, one, other) => expect(said(one, other)).toBe('opposite of first'));

  it.each<[string, Partial<RiskRule>, Partial<RiskRule>]>([
    ['two permissions', { ...ALLOW, maxUses: 5 }, ALLOW],
    ['other conditions', { ...DENY, when: 'firstTime' }, { ...ALLOW, when: '!firstTime' }],
    ['other agents', { ...DENY, agentIds: [1] }, { ...ALLOW, agentIds: [2] }],
    ['an exception, which is meant so', { ...ASK }, { ...ALLOW, exceptionTo: [1] }],
  ])('is not named: %s', (_, one, other) => expect(said(one, other)).toBe(''));
});

describe('a rule that matches nothing', () => {
  const quiet = (change: Partial<RiskRule>, since: string, lastMatchedAt: string | null) => {
    const rule = riskRule({ createdAt: daysAgo(90), updatedAt: daysAgo(90), ...change });
    return findingsOf([rule], [{ ruleId: rule.id, since, lastMatchedAt }], NOW).get(rule.id)?.unmatched?.lastMatchedAt;
  };

  it('is named after 30 days', () => {
    expect(quiet({}, daysAgo(31), null)).toBeNull();
    expect(quiet({}, daysAgo(90), daysAgo(31))).toBe(daysAgo(31));
    expect(quiet({ mode: 'observe' }, daysAgo(31), null)).toBeNull();
  });

  it.each<[string, Partial<RiskRule>, string, string | null]>([
    ['it matched', {}, daysAgo(90), daysAgo(29)],
    ['nobody remembers for long enough', {}, daysAgo(29), null],
    ['it was changed since', { updatedAt: daysAgo(29) }, daysAgo(90), null],
    ['it is off', { isActive: false }, daysAgo(90), null],
    ['it is over', { expiresAt: daysAgo(1) }, daysAgo(90), null],
  ])('is not named if %s', (_, change, since, last) => expect(quiet(change, since, last)).toBeUndefined());
});

describe('two rules that ask about the same requests', () => {
  const together = (other: Partial<RiskRule>, rule: Partial<RiskRule>) =>
    askedTogether(riskRule({ id: 2, ...ASK, ...rule }), [riskRule({ id: 1, ...ASK, ...other })], NOW);

  it.each<[string, Partial<RiskRule>, Partial<RiskRule>, object]>([
    ['more people for the other', { approvals: 3 }, { approvals: 2 }, { needed: 3, more: 'other', bothName: false }],
    ['more people for this one', {}, { approvals: 2, ...INNER }, { needed: 2, more: 'this', bothName: false }],
    ['people by name', { approverIds: [1, 2] }, { approverIds: [2] }, { needed: 1, more: null, bothName: true }],
  ])('need %s', (_, other, rule, expected) => expect(together(other, rule)).toMatchObject(expected));

  it.each<[string, Partial<RiskRule>, Partial<RiskRule>]>([
    ['both ask for one person', {}, {}],
    ['the other is about other paths', { approvals: 2, pathPattern: '/orders' }, {}],
    ['the other is off', { approvals: 2, isActive: false }, {}],
    ['the other denies', { ...DENY }, { approvals: 2 }],
    ['this one denies', { approvals: 2 }, { ...DENY }],
  ])('say nothing where %s', (_, other, rule) => expect(together(other, rule)).toBeNull());
});
