import fc from 'fast-check';
import type { RiskRule } from '#contracts';
import { HTTP_METHODS, RULE_EFFECTS } from '#contracts';
import { comparedWith } from '../../../dashboard/src/features/services/rule-findings.js';
import { riskRule } from '../../../dashboard/test/support/risk-rule.js';
import { RequestPath } from '../request-reading/request-path.js';
import { matchingRules } from '../rules/rule-matching.js';
import type { ServiceRule } from '../service-view/service-view.js';
import { decidingRule, decisionBy } from './deciding-rule.js';

/** What the dashboard says about rules that others hide is true of the code that decides. */
const BASE = 'https://api.example.com/v1';
const NOW = 1_700_000_000_000;

const path = fc.constantFrom(
  '',
  '',
  '/**',
  '/a',
  '/a/*',
  '/a/**',
  '/*/b',
  '/a/b',
  '/a/',
  '/**/b',
  '/a/b*',
  '/a%2Fb',
  '/*',
);
/** Often empty, which stands for all: a rule that hides another one is wide. */
const some = <Item>(items: readonly Item[]) =>
  fc.oneof(fc.constant<Item[]>([]), fc.subarray([...items], { maxLength: 2 }));
const rule = fc.record({
  effect: fc.constantFrom(...RULE_EFFECTS),
  methods: some(HTTP_METHODS.slice(0, 3)),
  pathPattern: path,
  agentIds: some([7, 8]),
  expiresAt: fc.constantFrom(null, null, new Date(NOW + 1000).toISOString(), new Date(NOW + 9000).toISOString()),
  maxUses: fc.constantFrom(null, null, 3),
  mode: fc.constantFrom('enforce', 'enforce', 'observe'),
  exceptions: fc.constantFrom('none', 'temporary'),
  exceptionTo: fc.constantFrom<number[]>([], [], [1], [2]),
});
const request = fc.record({
  agentId: fc.constantFrom(7, 8, 9),
  methods: fc.subarray(HTTP_METHODS.slice(0, 4), { minLength: 1, maxLength: 2 }),
  path: fc.constantFrom('/a', '/a/', '/a/b', '/A/b', '/a%2Fb', '/a//b', '/a/x/b', '/x/b', '/a/bc', '/a/./b', '/'),
  nowMs: fc.constantFrom(NOW, NOW + 5000),
});

const stored = ({ expiresAt, createdAt, ...rest }: RiskRule): ServiceRule => ({
  ...rest,
  expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
  createdAt: Date.parse(createdAt),
});

it('never lets a rule decide that it calls hidden', () => {
  let hidden = 0;
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 2, maxLength: 3 }),
      fc.array(request, { minLength: 20, maxLength: 20 }),
      (made, asked) => {
        const rules = made.map((each, index) =>
          riskRule({ ...each, id: index + 1, exceptionTo: each.effect === 'allow' ? each.exceptionTo : [] }),
        );
        const enforced = rules.filter(({ mode }) => mode === 'enforce').map(stored);
        for (const weak of rules) {
          if (comparedWith(weak, rules, NOW).hiddenBy === undefined) continue;
          for (const { agentId, methods, path: below, nowMs } of asked) {
            const subject = { agentId, methods, path: new RequestPath(new URL(BASE + below), BASE) };
            const matching = matchingRules(enforced, subject, nowMs);
            if (!matching.some(({ id }) => id === weak.id)) continue;
            hidden += 1;
            const others = matching.filter(({ id }) => id !== weak.id);
            expect(decidingRule(matching, [])?.id).not.toBe(weak.id);
            expect(decisionBy(matching, [])).toBe(decisionBy(others, []));
          }
        }
      },
    ),
    { numRuns: 2000 },
  );
  expect(hidden).toBeGreaterThan(100);
});
