import type { RuleLimit } from '#contracts';
import { compileSum, type CompiledSum } from '../conditions/condition.js';
import { readingsFor, UNKNOWN_READINGS, type ConditionedRule, type ConditionSubject } from './rule-conditions.js';

/** A rule with its limit, if it is one. */
export interface LimitedRule extends ConditionedRule {
  limit: RuleLimit | null;
}

/** Without a sum, each request counts 1. */
const ONE = '1';

/**
 * What a request adds to the limit of a rule, as a decimal. Null: it can't be decided, so the request does not fit
 * (docs/reference/limits.md#sums).
 */
export function amountOf(rule: LimitedRule, subject: ConditionSubject): string | null {
  const compiled = sumOf(rule);
  if (compiled === null) return ONE;
  const amount = compiled.ok ? evaluate(compiled.expression, rule, subject) : { undecided: compiled.fault };
  if (typeof amount === 'string') return amount;
  subject.undecided?.set(rule, amount.undecided);
  return null;
}

type Sum = Extract<CompiledSum, { ok: true }>['expression'];

/** The largest amount of all paths that servers may take the path for. */
function evaluate(sum: Sum, rule: LimitedRule, { facts, path }: ConditionSubject): string | { undecided: string } {
  if (facts === undefined) return { undecided: 'nothing is known about the request' };
  if (!sum.reads.path) return sum.evaluate(facts);
  const readings = readingsFor(rule, path);
  if (readings === null) return { undecided: UNKNOWN_READINGS };
  let largest = '0';
  for (const reading of readings) {
    const amount = sum.evaluate(facts, reading);
    if (typeof amount !== 'string') return amount;
    if (Number(amount) > Number(largest)) largest = amount;
  }
  return largest;
}

/** Read once per rule. A rule object lives as long as the service view that contains it. */
const sums = new WeakMap<LimitedRule, CompiledSum>();

/** Null: the rule has no sum. */
export function sumOf(rule: LimitedRule): CompiledSum | null {
  const text = rule.limit?.sum;
  if (text === undefined) return null;
  let found = sums.get(rule);
  if (found === undefined) sums.set(rule, (found = compileSum(text)));
  return found;
}
