/** Tries unsaved rules on the latest requests. Depends on approvals, whose bodies it reads, and below. */
import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { DocumentationModule } from '../documentation/documentation.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { RiskModule } from '../risk/risk.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { ServicesModule } from '../services/services.module.js';
import { BacktestsController } from './backtests.controller.js';
import { Backtests } from './backtests.js';
import { PastRequests } from './past-requests.js';

@Module({
  imports: [MembershipModule, ServicesModule, DocumentationModule, RulesModule, RiskModule, ApprovalsModule],
  controllers: [BacktestsController],
  providers: [Backtests, PastRequests],
})
export class BacktestsModule {}
