import type { RuleEffect } from '#contracts';
import {
  compileCondition,
  type CompiledCondition,
  type Condition,
  type ConditionResult,
} from '../conditions/condition.js';
import type { ConditionFacts } from '../conditions/facts.js';
import type { PathReading } from '../request-reading/path-reading.js';
import type { RequestPath } from '../request-reading/request-path.js';

/** Why a path can't be compared. */
export const UNKNOWN_READINGS = 'nobody can tell how servers read the path';

/** A rule with its condition. Empty or left out: it has none. */
export interface ConditionedRule {
  effect: RuleEffect;
  when?: string;
}

export interface ConditionSubject {
  path: RequestPath;
  /** What conditions read. Left out: nothing is known, so no condition can be decided. */
  facts?: ConditionFacts;
  /** Why conditions could not be decided, by rule. They are added here. */
  undecided?: Map<ConditionedRule, string>;
}

/**
 * Whether the condition of a rule counts as true. One that can't be decided does for a rule that restricts, and does not
 * for `allow` and `guidance` (docs/reference/conditions.md#undecidable).
 */
export function holds(rule: ConditionedRule, subject: ConditionSubject): boolean {
  if (!rule.when) return true;
  const result = evaluate(rule, subject);
  if (typeof result === 'boolean') return result;
  subject.undecided?.set(rule, result.undecided);
  return restricts(rule);
}

const restricts = ({ effect }: Pick<ConditionedRule, 'effect'>): boolean => effect !== 'allow' && effect !== 'guidance';

function evaluate(rule: ConditionedRule, subject: ConditionSubject): ConditionResult {
  const compiled = conditionOf(rule);
  if (!compiled.ok) return { undecided: compiled.fault };
  const { facts } = subject;
  if (facts === undefined) return { undecided: 'nothing is known about the request' };
  // One assessment asks several times, and each time costs steps.
  let result = facts.results.get(rule);
  if (result === undefined) facts.results.set(rule, (result = evaluateOnce(compiled.expression, rule, facts, subject)));
  return result;
}

function evaluateOnce(
  condition: Condition,
  rule: ConditionedRule,
  facts: ConditionFacts,
  { path }: ConditionSubject,
): ConditionResult {
  if (!condition.reads.path) return condition.evaluate(facts);
  const readings = readingsFor(rule, path);
  if (readings === null) return { undecided: UNKNOWN_READINGS };
  const needsAll = rule.effect === 'allow';
  let undecided: ConditionResult | null = null;
  for (const reading of readings) {
    const result = condition.evaluate(facts, reading);
    if (result === !needsAll) return result;
    if (typeof result !== 'boolean') undecided ??= result;
  }
  return undecided ?? needsAll;
}

/**
 * The paths that servers may take a path for: a permission must hold for all of them, a restriction for one. Null: there
 * are too many, or nobody knows them.
 */
export function readingsFor(rule: Pick<ConditionedRule, 'effect'>, path: RequestPath): Set<string> | null {
  const textsOf = (readings: readonly PathReading[]): string[] => readings.map(({ text }) => text);
  if (rule.effect === 'allow') return path.strict && new Set(textsOf(path.strict));
  if (!restricts(rule)) return new Set(textsOf(path.exact));
  return path.lenient && new Set([...textsOf(path.exact), ...textsOf(path.lenient)]);
}

/** Read once per rule. A rule object lives as long as the service view that contains it. */
const conditions = new WeakMap<ConditionedRule, CompiledCondition>();

export function conditionOf(rule: ConditionedRule): CompiledCondition {
  let found = conditions.get(rule);
  if (found === undefined) conditions.set(rule, (found = compileCondition(rule.when!)));
  return found;
}
