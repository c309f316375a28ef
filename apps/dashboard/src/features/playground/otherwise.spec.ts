import type { CheckedRule, RiskAlternative, RiskAssessment } from '#contracts';
import { otherwise } from './otherwise.js';

const rule = (fields: Partial<CheckedRule>): CheckedRule => ({
  id: 1,
  name: 'X',
  effect: 'require_approval',
  when: '',
  exceptionTo: [],
  mismatch: null,
  undecided: null,
  readAs: null,
  ...fields,
});
const assessment = (fields: Partial<RiskAssessment>): RiskAssessment => ({
  score: 0.3,
  decidingScore: null,
  llmScore: null,
  heuristicScore: 0.3,
  explanation: '',
  source: 'rule',
  rule: null,
  matchedRules: [],
  undecided: [],
  rules: [],
  otherwise: [],
  effects: [],
  limits: [],
  observed: [],
  approvals: null,
  decision: 'hold',
  threshold: 0.5,
  durationMs: 1,
  prompt: null,
  ...fields,
});
const step = (fields: Partial<RiskAlternative>): RiskAlternative => ({
  withoutRules: [],
  withoutAskFor: [],
  decision: null,
  by: null,
  ...fields,
});

it('says each step of the order of force', () => {
  const [deny, ask] = [rule({ id: 1, name: 'No', effect: 'deny' }), rule({ id: 2, name: 'Ask' })];
  const allow = rule({ id: 3, name: 'Yes', effect: 'allow' });
  const steps = [
    step({ withoutRules: [deny], decision: 'hold', by: ask }),
    step({ withoutRules: [deny, ask], decision: 'forward', by: allow }),
    step({ withoutRules: [deny, ask, allow], withoutAskFor: ['money'] }),
  ];
  expect(otherwise(assessment({ decision: 'deny', otherwise: steps }))).toEqual([
    'Without rule “No”, rule “Ask” would hold it for approval.',
    'Without rule “No” and rule “Ask”, rule “Yes” would forward it.',
    'Without rule “No”, rule “Ask”, and rule “Yes”, and if people were not asked about what moves money, the score would decide: forwarded if the model gives less than 0.59.',
  ]);
});

it.each([
  [{ used: 500, adds: 50 }, /^Without limit “X” \(used up until /],
  [{ used: 480, adds: 50 }, /^Without limit “X” \(too little is left until /],
  [{ used: 480, adds: null }, /^Without limit “X”, the score/],
])('says how much a limit with %j has left', (use, expected) => {
  const limit = { rule: 'X', ruleId: 1, count: 500, resetsAt: '2026-05-02T00:00:00.000Z', ...use };
  const steps = [step({ withoutRules: [rule({ effect: 'limit' })] })];
  expect(otherwise(assessment({ otherwise: steps, limits: [limit] }))[0]).toMatch(expected);
});

it('knows where no score of the model makes a difference', () => {
  const said = (threshold: number) =>
    otherwise(assessment({ otherwise: [step({ withoutRules: [rule({})] })], threshold }));
  expect(said(0.05)[0]).toContain('it would be held, whatever score the model gives');
  expect(said(0.9)[0]).toContain('it would be forwarded, whatever score the model gives');
});

it('says which values would make the deciding rule not match', () => {
  const large = rule({ name: 'Large', when: 'request.body.amount > 100 && request.body.currency == "EUR"' });
  const found = { rules: [large], otherwise: [step({ withoutRules: [large] })] };
  expect(otherwise(assessment(found))).toContain(
    'Rule “Large” would not match if amount ≤ 100 or currency is not EUR.',
  );
  const unknown = { ...found, rules: [{ ...large, undecided: 'no such key: amount' }] };
  expect(otherwise(assessment(unknown)).join()).not.toContain('would not match');
});

it.each<[Partial<CheckedRule>, Partial<RiskAssessment>, string | null]>([
  [{}, { decision: 'forward' }, 'Rule “X” would hold it for approval if amount > 100.'],
  [{ effect: 'deny' }, {}, 'Rule “X” would refuse it if amount > 100.'],
  [{ effect: 'allow' }, { source: 'model' }, 'Rule “X” would forward it if amount > 100.'],
  // Weaker than what decides.
  [{}, { decision: 'hold' }, null],
  [{ effect: 'allow' }, { source: 'rule' }, null],
  [{ effect: 'allow', exceptionTo: [7] }, { source: 'model' }, null],
  // More than the condition is missing, or nobody can tell.
  [{ mismatch: 'path' }, { decision: 'forward' }, null],
  [{ effect: 'allow', undecided: 'x' }, { source: 'model' }, null],
])('says of a rule %j with %j whose condition does not hold: %s', (fields, decided, expected) => {
  const other = rule({ when: 'request.body.amount > 100', mismatch: 'condition', ...fields });
  const said = otherwise(assessment({ rules: [other], ...decided })).filter((words) => words.includes('amount'));
  expect(said).toEqual(expected === null ? [] : [expected]);
});

it('does not say that a rule would hold what an exception lets pass', () => {
  const asking = rule({ when: 'request.body.amount > 100', mismatch: 'condition' });
  const exception = rule({ id: 2, effect: 'allow', exceptionTo: [1] });
  expect(otherwise(assessment({ decision: 'forward', rules: [asking, exception] }))).toEqual([]);
});

it('says how far the score is from the threshold, and what the model would have to give', () => {
  const score = (llmScore: number, total: number, decision: 'hold' | 'forward') =>
    otherwise(
      assessment({ source: 'model', llmScore, heuristicScore: 0.7, score: total, decidingScore: total, decision }),
    );
  expect(score(0.9, 0.84, 'hold')).toEqual([
    'The score is 0.34 above the threshold. Below 0.50 the request would be forwarded.',
    'The model gave 0.90. With less than 0.41 the request would be forwarded.',
  ]);
  expect(score(0.1, 0.28, 'forward')).toEqual([
    'The score is 0.22 below the threshold. From 0.50 on the request would be held.',
    'The model gave 0.10. From 0.41 on the request would be held.',
  ]);
  // Raised, because the model did not see everything.
  expect(score(0.7, 0.84, 'hold')).toHaveLength(1);
  expect(otherwise(assessment({ source: 'model_timeout', decidingScore: 0.6 }))).toEqual([
    'The model gave no usable answer. If it did, its score would decide.',
  ]);
});
