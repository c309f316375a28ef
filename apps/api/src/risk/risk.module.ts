/**
 * Assesses the risk of requests with rules, heuristic and model, and derives the decision. Depends on services and
 * below.
 */
import { Module } from '@nestjs/common';
import { MembershipModule } from '../membership/membership.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { DocumentationModule } from '../documentation/documentation.module.js';
import { ServicesModule } from '../services/services.module.js';
import { FirstTimes } from './first-times.js';
import { LimitReader } from './limits/limit-reader.js';
import { LimitsController } from './limits/limits.controller.js';
import { LimitHousekeeping } from './limits/limits.schedule.js';
import { ServiceLimits } from './limits/service-limits.js';
import { ModelAssessor } from './model-assessor.js';
import { ModelClient } from './model-client.js';
import { ModelHealth } from './model-health.js';
import { ModelOutages } from './model-outages.js';
import { ModelProbe } from './model-probe.js';
import { RequestFactsReader } from './request-facts-reader.js';
import { RiskAssessor } from './risk-assessor.js';
import { RiskController } from './risk.controller.js';
import { VerdictCache } from './verdict-cache.js';

@Module({
  imports: [MembershipModule, ServicesModule, RulesModule, DocumentationModule],
  controllers: [RiskController, LimitsController],
  providers: [
    RiskAssessor,
    RequestFactsReader,
    FirstTimes,
    ModelAssessor,
    ModelClient,
    ModelHealth,
    ModelOutages,
    ModelProbe,
    VerdictCache,
    LimitReader,
    ServiceLimits,
    LimitHousekeeping,
  ],
  exports: [RiskAssessor, RequestFactsReader, ModelHealth, ModelOutages, ModelProbe, LimitReader],
})
export class RiskModule {}
