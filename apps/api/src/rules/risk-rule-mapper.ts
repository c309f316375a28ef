import type { RiskRule, RuleLimit } from '#contracts';
import type { RiskRuleEntity } from '#database';

export function toRiskRule(rule: RiskRuleEntity): RiskRule {
  return {
    id: rule.id,
    name: rule.name,
    effect: rule.effect,
    methods: rule.methods,
    pathPattern: rule.pathPattern,
    when: rule.when,
    instruction: rule.instruction,
    agentIds: rule.agentIds,
    approvals: rule.approvals,
    approverIds: rule.approverIds,
    limit: rule.limit && toLimit(rule.limit),
    expiresAt: rule.expiresAt?.toISOString() ?? null,
    maxUses: rule.maxUses,
    uses: rule.uses,
    isActive: rule.isActive,
    mode: rule.mode,
    exceptions: rule.exceptions,
    exceptionTo: rule.exceptionTo,
    fromAction: rule.fromAction,
    createdBy: rule.createdByName,
    createdAt: rule.createdAt.toISOString(),
    updatedAt: rule.updatedAt.toISOString(),
  };
}

/** The fields of a limit in one order, without others that a request had. */
export function toLimit({ count, per, then, sum: given }: RuleLimit): RuleLimit {
  const sum = given?.trim();
  return { count, per, then, ...(sum && { sum }) };
}
