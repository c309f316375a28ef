/** The risk rules of services. Depends on connections and below. `approvals` provides `ExceptionScopes`. */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { Exceptions } from './exceptions.js';
import { RiskRuleRegistry } from './risk-rule-registry.js';
import { RiskRulesController } from './risk-rules.controller.js';
import { RuleMatches } from './rule-matches.js';
import { RuleVersions } from './rule-versions.js';

@Module({
  imports: [MembershipModule, AuditModule],
  controllers: [RiskRulesController],
  providers: [RiskRuleRegistry, Exceptions, RuleMatches, RuleVersions],
  exports: [RiskRuleRegistry, RuleMatches],
})
export class RulesModule {}
