import { RULE_EFFECTS, type HttpMethod } from '#contracts';
import { foldCase, fullyDecoded } from '#egress';
import type { ServiceRule } from '../service-view.js';
import { PathGlob } from './path-glob.js';
import type { RequestPath } from './request-path.js';

/** What a rule can tell requests apart by. */
export interface RuleSubject {
  agentId: number;
  /** The method, and those that the request asks to be taken for (`requestMethods`). */
  methods: readonly HttpMethod[];
  path: RequestPath;
}

/** The rules that hold for a request, the strongest first. Whether a rule with `maxUses` has uses left is not known here. */
export function matchingRules(rules: readonly ServiceRule[], request: RuleSubject, nowMs: number): ServiceRule[] {
  return rules
    .filter((rule) => (rule.expiresAt === null || nowMs < rule.expiresAt) && covers(rule, request))
    .sort((one, other) => RULE_EFFECTS.indexOf(one.effect) - RULE_EFFECTS.indexOf(other.effect) || one.id - other.id);
}

export type RuleScope = Pick<ServiceRule, 'effect' | 'methods' | 'pathPattern' | 'agentIds'>;

/**
 * Whether a request is of the kind that a rule speaks of, at whatever time. What one server reads as `DELETE /admin` and
 * another does not must not slip past a prohibition, nor into a permission (docs/reference/risk.md#rule-paths): a
 * prohibition holds if any reading fits, an `allow` only if all do. Where the comparison can't be finished, it ends the
 * same way.
 */
export function covers(rule: RuleScope, request: RuleSubject): boolean {
  const { effect, methods, agentIds, pathPattern } = rule;
  if (agentIds.length > 0 && !agentIds.includes(request.agentId)) return false;
  const fits = (method: HttpMethod): boolean => methods.includes(method);
  if (methods.length > 0 && !(effect === 'allow' ? request.methods.every(fits) : request.methods.some(fits))) {
    return false;
  }
  if (pathPattern === '') return true;
  const { path } = request;
  const { exact, lenient } = globsOf(rule);
  switch (effect) {
    case 'allow':
      return path.exact.every((reading) => exact.matches(reading, path.effort)) && path.effort.left >= 0;
    case 'guidance':
      return path.exact.some((reading) => exact.matches(reading, path.effort));
    case 'deny':
    case 'require_approval':
      return (
        path.lenient === null ||
        path.lenient.some((reading) => lenient.some((glob) => glob.matches(reading, path.effort))) ||
        path.effort.left < 0
      );
  }
}

interface RuleGlobs {
  exact: PathGlob;
  /** Of `deny` and `require_approval`. */
  lenient: readonly PathGlob[];
}

/** Taken apart once a rule, which lives as long as the view that it is a part of. */
const globs = new WeakMap<RuleScope, RuleGlobs>();

function globsOf(rule: RuleScope): RuleGlobs {
  let found = globs.get(rule);
  if (found === undefined) globs.set(rule, (found = compile(rule.pathPattern)));
  return found;
}

/** For lenient readings the pattern is spelled as they are: in folded case, also decoded, also without a closing slash. */
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
