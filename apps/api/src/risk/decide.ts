import type { AskedEffect } from '#contracts/effects';
import type { RequestEffect, RiskDecision } from '#contracts/risk';
import type { ShortSteps } from '../platform/short-steps.js';
import { requestMethods } from '../request-reading/request-methods.js';
import { RequestPath } from '../request-reading/request-path.js';
import type { ConditionedRule } from '../rules/rule-conditions.js';
import { matchingRules, matchingSteps, type RuleSubject } from '../rules/rule-matching.js';
import type { ServiceRule, ServiceView } from '../service-view/service-view.js';
import { decidingRule, decisionBy } from './deciding-rule.js';
import { exceededLimit, limitsToCount } from './limits/limit-to-count.js';
import type { RequestFacts } from './request-facts.js';
import type { RiskRequest } from './risk-verdict.js';
import type { Matched } from './rule-verdict.js';
import { serviceNeeds } from './service-needs.js';

/**
 * What is decided without the model: the strongest rule, and then what the service asks about
 * (docs/reference/risk.md#order). Tests of a policy decide with it too.
 */

export interface Matching extends Matched {
  /** A rule that denies or guides may match, but the path is too long to compare it. */
  isPathUndecided: boolean;
}

/**
 * The rules of the service that match the request of an agent.
 * @param facts what conditions read. Null: no rule has a condition
 */
export function matchingOf(
  service: ServiceView,
  agentId: number,
  request: RiskRequest,
  nowMs: number,
  facts: RequestFacts | null,
): Matching {
  if (service.rules.length === 0) {
    return { rules: [], undecided: [], reasons: NO_REASONS, limits: [], isPathUndecided: false };
  }
  const unknown = new Map<ConditionedRule, string>();
  const subject = { ...subjectOf(service, agentId, request, nowMs, facts), undecided: unknown };
  const { path } = subject;
  const rules = matchingRules(service.rules, subject, nowMs);
  const limits = limitsToCount(rules, subject);
  const undecided = unknown.size === 0 ? [] : service.rules.filter((rule) => unknown.has(rule));
  return {
    rules,
    limits,
    undecided: undecided.map(({ id }) => id),
    reasons: undecided.length === 0 ? NO_REASONS : new Map(undecided.map((rule) => [rule.id, unknown.get(rule)!])),
    isPathUndecided: path.isUndecided && rules.at(0)?.effect !== 'deny',
  };
}

const NO_REASONS: ReadonlyMap<number, string> = new Map();

/** Computes what takes long on a long body. The facts keep it, so what reads it afterwards takes no time. */
export function* factSteps(
  service: ServiceView,
  agentId: number,
  request: RiskRequest,
  nowMs: number,
  facts: RequestFacts,
): ShortSteps<void> {
  if (serviceNeeds(service).effects) yield* facts.effectSteps();
  const subject = subjectOf(service, agentId, request, nowMs, facts);
  for (const rules of [service.rules, service.observed]) yield* matchingSteps(rules, subject, nowMs);
}

function subjectOf(
  service: ServiceView,
  agentId: number,
  request: RiskRequest,
  nowMs: number,
  facts: RequestFacts | null,
): RuleSubject {
  return {
    agentId,
    methods: requestMethods(request),
    path: new RequestPath(new URL(request.targetUrl), service.baseUrl),
    facts: facts?.forConditions(agentId, nowMs),
  };
}

export interface DecidedWithoutModel {
  /** Null: the model decides. */
  decision: RiskDecision | null;
  /** The rule that decides. */
  rule: ServiceRule | null;
  /** What the request does and the service asks about. */
  asked: readonly RequestEffect[];
}

/**
 * Takes each rule as usable, also one with `maxUses`, and nothing of a limit as used. A request may still be more than a
 * limit allows.
 */
export function decideWithoutModel(
  { rules, limits, isPathUndecided }: Matching,
  askFor: readonly AskedEffect[],
  facts: RequestFacts | null,
): DecidedWithoutModel {
  const asked = askedEffects(askFor, facts);
  if (isPathUndecided) return { decision: 'deny', rule: null, asked };
  const exceeded = exceededLimit(limits);
  if (exceeded !== null && rules.at(0)?.effect !== 'deny') {
    const decision = exceeded.limit.then === 'deny' ? 'deny' : 'hold';
    return { decision, rule: rules.find(({ id }) => id === exceeded.rule.id) ?? null, asked };
  }
  return { decision: decisionBy(rules, asked), rule: decidingRule(rules, asked) ?? null, asked };
}

/** What the request does and the service asks about. A body that can't be read may do each of these things. */
export function askedEffects(
  askFor: readonly AskedEffect[],
  facts: Pick<RequestFacts, 'effects' | 'isUnreadable'> | null,
): readonly RequestEffect[] {
  if (askFor.length === 0 || facts === null) return [];
  const { effects, isUnreadable } = facts;
  return effects.filter(
    ({ effect }) => (effect !== 'read' && askFor.includes(effect)) || (effect === 'unclear' && isUnreadable),
  );
}
