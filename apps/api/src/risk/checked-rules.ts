import type { CheckedRule } from '#contracts/risk';
import { requestMethods } from '../request-reading/request-methods.js';
import { RequestPath } from '../request-reading/request-path.js';
import { UNKNOWN_READINGS, type ConditionedRule } from '../rules/rule-conditions.js';
import { byForce, decidingReading, hasUnknownReadings, mismatch } from '../rules/rule-matching.js';
import type { ServiceRule, ServiceView } from '../service-view/service-view.js';
import type { RequestFacts } from './request-facts.js';
import type { RiskRequest, RiskVerdict } from './risk-verdict.js';

interface Checked {
  agentId: number;
  service: ServiceView;
  request: RiskRequest;
  facts: RequestFacts;
  nowMs: number;
}

/** What became of each rule that applies now, the strongest first, for people who try a request. */
export function checkedRules(
  { agentId, service, request, facts, nowMs }: Checked,
  { matchedRules }: Pick<RiskVerdict, 'matchedRules'>,
): CheckedRule[] {
  const undecided = new Map<ConditionedRule, string>();
  const subject = {
    agentId,
    methods: requestMethods(request),
    path: new RequestPath(new URL(request.targetUrl), service.baseUrl),
    facts: facts.forConditions(agentId, nowMs),
    undecided,
  };
  // The assessment leaves out rules that have no uses left.
  const isUsable = ({ id, maxUses }: ServiceRule): boolean =>
    maxUses === null || matchedRules.some((rule) => rule.id === id);
  return service.rules
    .filter(({ expiresAt }) => expiresAt === null || nowMs < expiresAt)
    .map((rule) => ({ rule, missed: mismatch(rule, subject) }))
    .filter(({ rule, missed }) => missed !== null || isUsable(rule))
    .sort((one, other) => byForce(one.rule, other.rule))
    .map(({ rule, missed }) => ({ rule, missed, isByPath: missed === null || missed === 'path' }))
    .map(({ rule, missed, isByPath }) => ({
      id: rule.id,
      name: rule.name,
      effect: rule.effect,
      when: rule.when,
      exceptionTo: rule.exceptionTo ?? [],
      mismatch: missed,
      undecided: undecided.get(rule) ?? (isByPath && hasUnknownReadings(rule, subject.path) ? UNKNOWN_READINGS : null),
      readAs: isByPath ? decidingReading(rule, subject) : null,
    }));
}
