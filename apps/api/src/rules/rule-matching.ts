import type { RuleMismatch } from '#contracts/risk';
import { RULE_EFFECTS, type HttpMethod } from '#contracts/states';
import { foldCase, fullyDecoded } from '#egress';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import type { ServiceRule } from '../service-view/service-view.js';
import { PathGlob } from '../request-reading/path-glob.js';
import type { PathReading } from '../request-reading/path-reading.js';
import type { RequestPath } from '../request-reading/request-path.js';
import { holds, type ConditionedRule, type ConditionSubject } from './rule-conditions.js';

/** The properties of a request that rules compare. */
export interface RuleSubject extends ConditionSubject {
  agentId: number;
  /** The method, and the methods that the request names as an override (`requestMethods`). */
  methods: readonly HttpMethod[];
  path: RequestPath;
}

/**
 * Returns the rules that match a request, the strongest first. Does not check whether a rule with `maxUses` has uses
 * left.
 */
export const matchingRules = (rules: readonly ServiceRule[], request: RuleSubject, nowMs: number): ServiceRule[] =>
  atOnce(matchingSteps(rules, request, nowMs));

/** What `matchingRules` returns. A condition can take a millisecond or more on a long body, so each rule is a step. */
export function* matchingSteps(
  rules: readonly ServiceRule[],
  request: RuleSubject,
  nowMs: number,
): ShortSteps<ServiceRule[]> {
  const matching: ServiceRule[] = [];
  for (const rule of rules) {
    if ((rule.expiresAt === null || nowMs < rule.expiresAt) && covers(rule, request)) matching.push(rule);
    yield;
  }
  return matching.sort(byForce);
}

/** The strongest first. */
export const byForce = (one: ServiceRule, other: ServiceRule): number =>
  RULE_EFFECTS.indexOf(one.effect) - RULE_EFFECTS.indexOf(other.effect) || one.id - other.id;

export type RuleScope = Pick<ServiceRule, 'methods' | 'pathPattern' | 'agentIds'> & ConditionedRule;

/** Whether a rule matches a request, regardless of expiry. */
export const covers = (rule: RuleScope, request: RuleSubject): boolean => mismatch(rule, request) === null;

/** What of a rule a request does not fit, regardless of expiry. Null: the rule matches. */
export function mismatch(rule: RuleScope, request: RuleSubject): RuleMismatch | null {
  const { effect, methods, agentIds } = rule;
  if (agentIds.length > 0 && !agentIds.includes(request.agentId)) return 'agent';
  const fits = (method: HttpMethod): boolean => methods.includes(method);
  if (methods.length > 0 && !(effect === 'allow' ? request.methods.every(fits) : request.methods.some(fits))) {
    return 'method';
  }
  if (!coversPath(rule, request)) return 'path';
  return holds(rule, request) ? null : 'condition';
}

/**
 * Whether the path of a request is that of a rule. A request that only some servers read as `DELETE /admin` must
 * not bypass a prohibition or fall under a permission (docs/reference/risk.md#rule-paths). So a prohibition matches if
 * any reading matches, an `allow` only if all do. If the comparison can't be finished, `limit` and `require_approval` match and
 * `allow` does not. For `deny` and `guidance`, nobody knows then whether they match: they don't count as matching, and
 * `isUndecided` of the path is set.
 */
function coversPath(rule: RuleScope, { path }: RuleSubject): boolean {
  const { effect, pathPattern } = rule;
  if (pathPattern === '') return true;
  const { exact, lenient } = cachedGlobs(rule);
  switch (effect) {
    case 'allow':
      return (path.strict?.every((reading) => matches(exact, reading, path)) ?? false) && path.effort.left >= 0;
    case 'guidance': {
      const applies = path.exact.some((reading) => matches(exact, reading, path));
      // The team may have told the model that this is dangerous.
      if (!applies && path.effort.left < 0) path.isUndecided = true;
      return applies;
    }
    case 'limit':
    case 'require_approval':
      return matchesAny(lenient, path) || isUnfinished(path);
    case 'deny':
      if (matchesAny(lenient, path)) return true;
      if (isUnfinished(path)) path.isUndecided = true;
      return false;
  }
}

/**
 * The reading of a path that decides about a rule where it is not the usual one: one that a rule that restricts matches,
 * or that a permission does not. Null: there is none, or nobody knows it.
 */
export function decidingReading(rule: RuleScope, { path }: Pick<RuleSubject, 'path'>): string | null {
  const { effect, pathPattern } = rule;
  if (pathPattern === '' || effect === 'guidance') return null;
  const { exact, lenient } = cachedGlobs(rule);
  const fitsAsUsual = path.exact.some((reading) => matches(exact, reading, path));
  if (fitsAsUsual !== (effect === 'allow')) return null;
  const found =
    effect === 'allow'
      ? path.strict?.find((reading) => !matches(exact, reading, path))
      : path.lenient?.find((reading) => lenient.some((glob) => matches(glob, reading, path)));
  return path.effort.left < 0 ? null : (found?.text ?? null);
}

/** Whether nobody can tell how servers read a path, or in too many ways to compare them with a rule. */
export const hasUnknownReadings = ({ effect, pathPattern }: RuleScope, path: RequestPath): boolean =>
  pathPattern !== '' && effect !== 'guidance' && (effect === 'allow' ? path.strict : path.lenient) === null;

const matches = (glob: PathGlob, reading: PathReading, { effort }: RequestPath): boolean =>
  reading.mayMatch(glob) && glob.matches(reading.text, effort);

const matchesAny = (globs: readonly PathGlob[], path: RequestPath): boolean =>
  path.lenient?.some((reading) => globs.some((glob) => matches(glob, reading, path))) ?? false;

const isUnfinished = (path: RequestPath): boolean => path.lenient === null || path.effort.left < 0;

interface RuleGlobs {
  exact: PathGlob;
  /** For `deny`, `limit` and `require_approval`. */
  lenient: readonly PathGlob[];
}

/** Parsed once per rule. A rule object lives as long as the service view that contains it. */
const globs = new WeakMap<RuleScope, RuleGlobs>();

function cachedGlobs(rule: RuleScope): RuleGlobs {
  let found = globs.get(rule);
  if (found === undefined) globs.set(rule, (found = compile(rule.pathPattern)));
  return found;
}

/**
 * Lenient readings are compared with the pattern in the same forms: with folded case, also decoded, also without a
 * trailing slash.
 */
function compile(pattern: string): RuleGlobs {
  const patterns = new Set([pattern, pattern.replace(/(?<=.)\/$/, '')]);
  const isDecoded = fullyDecoded(pattern) === pattern;
  return {
    exact: new PathGlob(pattern),
    lenient: [...patterns].flatMap((each) => [
      new PathGlob(each, foldCase),
      ...(isDecoded ? [] : [new PathGlob(each, (literal) => foldCase(fullyDecoded(literal)))]),
    ]),
  };
}
