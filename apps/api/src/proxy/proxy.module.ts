/**
 * Everything an agent can call: send a request, ask for the status of a held one, execute it when approved. Depends on
 * everything below it; nothing depends on it.
 */
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { RiskModule } from '../risk/risk.module.js';
import { ServicesModule } from '../services/services.module.js';
import { BaseUrlInterceptor } from './base-url.interceptor.js';
import { BaseUrlTerms } from './base-url-terms.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { StoredAnswers } from './stored-answers.js';
import { UpstreamResponseInterceptor } from './upstream-response.interceptor.js';
import { AgentRequests } from './agent-requests.js';
import { ActionExecutor } from './action-executor.js';
import { DryRun } from './dry-run.js';
import { ExecuteController } from './execute.controller.js';
import { Forwarder } from './forwarder.js';
import { HeldActions } from './held-actions.js';
import { IdempotencySettlement } from './idempotency-settlement.js';
import { IdempotencyStore } from './idempotency-store.js';
import { ProxyController } from './proxy.controller.js';
import { ProxyHousekeeping } from './proxy.schedule.js';
import { RequestDecision } from './request-decision.js';
import { RequestReviewer } from './request-review.js';
import { ServicePathController } from './service-path.controller.js';
import { StatusController } from './status.controller.js';

@Module({
  imports: [ServicesModule, AgentsModule, RiskModule, ApprovalsModule, AuditModule],
  controllers: [ProxyController, ExecuteController, StatusController, ServicePathController],
  providers: [
    UpstreamResponseInterceptor,
    BaseUrlInterceptor,
    BaseUrlTerms,
    AuditInterceptor,
    IdempotencyInterceptor,
    RequestReviewer,
    RequestDecision,
    AgentRequests,
    Forwarder,
    ActionExecutor,
    HeldActions,
    IdempotencySettlement,
    IdempotencyStore,
    StoredAnswers,
    DryRun,
    ProxyHousekeeping,
  ],
  exports: [AgentRequests],
})
export class ProxyModule {}
