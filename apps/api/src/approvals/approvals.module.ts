/** Held requests: the queue, decisions, the right to execute, expiry. Depends on agents, risk, services and below. */
import { Global, Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExceptionScopes } from '../rules/exception-scopes.js';
import { RiskModule } from '../risk/risk.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { DocumentationModule } from '../documentation/documentation.module.js';
import { ServicesModule } from '../services/services.module.js';
import { ActionContexts } from './action-contexts.js';
import { ActionFactsReader } from './action-facts.js';
import { ActionList } from './action-list.js';
import { ActionViews } from './action-views.js';
import { ApprovalQueue } from './approval-queue.js';
import { ApprovalsController } from './approvals.controller.js';
import { ApprovalsHousekeeping } from './approvals.schedule.js';
import { DecisionWaiter } from './decision-waiter.js';
import { Decisions } from './decisions.js';
import { HeldAssessor } from './held-assessor.js';
import { HeldBodies } from './held-bodies.js';
import { HeldRules } from './held-rules.js';
import { HeldScopes } from './held-scopes.js';
import { ListedBodies } from './listed-bodies.js';
import { OlderDenials } from './older-denials.js';
import { OpenActionLimit } from './open-action-limit.js';
import { EarlierRequests } from './earlier-requests.js';
import { ExecutionClaims } from './execution-claims.js';
import { PendingAssessments } from './pending-assessments.js';
import { RequestAmounts } from './request-amounts.js';
import { SameThings } from './same-thing.js';
import { RequestRecords } from './request-records.js';
import { StandingDenials } from './standing-denials.js';

/** Global for `ExceptionScopes`, which rules call: rules are below, and can't import this module. */
@Global()
@Module({
  imports: [
    MembershipModule,
    EventsModule,
    AuditModule,
    ServicesModule,
    RulesModule,
    RiskModule,
    DocumentationModule,
    AgentsModule,
  ],
  controllers: [ApprovalsController],
  providers: [
    ApprovalQueue,
    ActionFactsReader,
    ActionViews,
    Decisions,
    OpenActionLimit,
    HeldBodies,
    RequestRecords,
    StandingDenials,
    OlderDenials,
    ActionList,
    ListedBodies,
    ActionContexts,
    EarlierRequests,
    RequestAmounts,
    SameThings,
    ExecutionClaims,
    DecisionWaiter,
    ApprovalsHousekeeping,
    HeldAssessor,
    PendingAssessments,
    HeldRules,
    HeldScopes,
    { provide: ExceptionScopes, useExisting: HeldScopes },
  ],
  exports: [
    ApprovalQueue,
    ActionFactsReader,
    ActionViews,
    Decisions,
    HeldBodies,
    ExecutionClaims,
    DecisionWaiter,
    RequestRecords,
    StandingDenials,
    ExceptionScopes,
  ],
})
export class ApprovalsModule {}
