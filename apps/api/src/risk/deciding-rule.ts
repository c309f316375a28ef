import type { RequestEffect, RiskDecision } from '#contracts/risk';
import { mayHaveExceptions } from '../rules/exception-faults.js';
import type { ServiceRule } from '../service-view/service-view.js';
import { decides, decisionOf } from './rule-verdict.js';

/**
 * The rule that decides: the strongest, unless that asks and one exception lifts every rule that asks. A limit decides
 * only while it is used up, and nothing lifts it.
 * @param rules those that match, the strongest first @param asked what the request does and the service asks about
 */
export function decidingRule(rules: readonly ServiceRule[], asked: readonly RequestEffect[]): ServiceRule | undefined {
  const strongest = rules.find((rule) => mayDecide(rule, asked));
  if (strongest?.effect !== 'require_approval') return strongest;
  const asking = rules.filter(({ effect }) => effect === 'require_approval');
  return rules.find((rule) => lifts(rule, asking)) ?? strongest;
}

/** Whether the rule is an exception to all of these, and each of them permits it now. */
const lifts = ({ effect, exceptionTo }: ServiceRule, asking: readonly ServiceRule[]): boolean =>
  effect === 'allow' &&
  exceptionTo !== undefined &&
  asking.every((rule) => exceptionTo.includes(rule.id) && rule.exceptions === 'temporary' && mayHaveExceptions(rule));

/** An exception decides nothing but that: nobody has approved what its rules don't ask about. */
const isException = ({ exceptionTo = [] }: ServiceRule): boolean => exceptionTo.length > 0;

/** A permission for every path does not lift what the service asks about: nobody thought of it then. */
const mayDecide = (rule: ServiceRule, asked: readonly RequestEffect[]): boolean =>
  decides(rule) &&
  rule.effect !== 'limit' &&
  !isException(rule) &&
  (asked.length === 0 || rule.effect !== 'allow' || rule.pathPattern !== '' || rule.when !== '');

/** What the rules and the effects decide. Null: the score decides. */
export function decisionBy(rules: readonly ServiceRule[], asked: readonly RequestEffect[]): RiskDecision | null {
  const rule = decidingRule(rules, asked);
  if (rule !== undefined) return decisionOf(rule);
  return asked.length > 0 ? 'hold' : null;
}
