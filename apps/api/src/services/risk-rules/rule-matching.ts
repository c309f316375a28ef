import { RULE_EFFECTS, type HttpMethod } from '#contracts';
import type { ServiceRule } from '../service-view.js';
import { globMatches } from './path-glob.js';

/** What a rule can tell requests apart by. */
export interface RuleSubject {
  agentId: number;
  method: HttpMethod;
  /** The path below the base URL, in every way in which it can be read (`pathReadings`). */
  readings: readonly string[];
}

/** The rules that hold for a request, the strongest first. Whether a rule with `maxUses` has uses left is not known here. */
export function matchingRules(rules: readonly ServiceRule[], request: RuleSubject, nowMs: number): ServiceRule[] {
  return rules
    .filter((rule) => (rule.expiresAt === null || nowMs < rule.expiresAt) && covers(rule, request))
    .sort((one, other) => RULE_EFFECTS.indexOf(one.effect) - RULE_EFFECTS.indexOf(other.effect) || one.id - other.id);
}

export type RuleScope = Pick<ServiceRule, 'effect' | 'methods' | 'pathPattern' | 'agentIds'>;

/** Whether a request is of the kind that a rule speaks of, at whatever time. */
export function covers({ effect, methods, pathPattern, agentIds }: RuleScope, request: RuleSubject): boolean {
  if (methods.length > 0 && !methods.includes(request.method)) return false;
  if (agentIds.length > 0 && !agentIds.includes(request.agentId)) return false;
  if (pathPattern === '') return true;
  // A spelling that one server reads as `/admin` and another does not must not slip past a prohibition, nor into a
  // permission (contract 3).
  const holds = (reading: string): boolean => globMatches(pathPattern, reading);
  return effect === 'allow' ? request.readings.every(holds) : request.readings.some(holds);
}
