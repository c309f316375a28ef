import type { RequestEffect, RiskDecision } from '#contracts/risk';
import type { ServiceRule } from '../service-view/service-view.js';
import { decides, decisionOf } from './rule-verdict.js';

/**
 * The rule that decides. A limit decides only while it is used up.
 * @param rules those that match, the strongest first @param asked what the request does and the service asks about
 */
export const decidingRule = (rules: readonly ServiceRule[], asked: readonly RequestEffect[]): ServiceRule | undefined =>
  rules.find((rule) => mayDecide(rule, asked));

/** A permission for every path does not lift what the service asks about: nobody thought of it then. */
const mayDecide = (rule: ServiceRule, asked: readonly RequestEffect[]): boolean =>
  decides(rule) &&
  rule.effect !== 'limit' &&
  (asked.length === 0 || rule.effect !== 'allow' || rule.pathPattern !== '' || rule.when !== '');

/** What the rules and the effects decide. Null: the score decides. */
export function decisionBy(rules: readonly ServiceRule[], asked: readonly RequestEffect[]): RiskDecision | null {
  const rule = decidingRule(rules, asked);
  if (rule !== undefined) return decisionOf(rule);
  return asked.length > 0 ? 'hold' : null;
}
