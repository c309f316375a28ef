import type { RiskRule } from '#contracts';
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
    expiresAt: rule.expiresAt?.toISOString() ?? null,
    maxUses: rule.maxUses,
    uses: rule.uses,
    isActive: rule.isActive,
    createdBy: rule.createdByName,
    createdAt: rule.createdAt.toISOString(),
    updatedAt: rule.updatedAt.toISOString(),
  };
}
