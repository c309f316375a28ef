/**
 * Everything an agent can call: send a request, ask for the status of a held one, execute it when approved. Depends on
 * everything below it; nothing depends on it.
 */
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EgressModule } from '../egress/egress.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { RiskModule } from '../risk/risk.module.js';
import { ServicesModule } from '../services/services.module.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { UpstreamResponseInterceptor } from './upstream-response.interceptor.js';
import { AgentRequests } from './agent-requests.js';
import { ActionExecutor } from './action-executor.js';
import { DryRun } from './dry-run.js';
import { ExecuteController } from './execute.controller.js';
import { Forwarder } from './forwarder.js';
import { HeldActions } from './held-actions.js';
import { ProxyController } from './proxy.controller.js';
import { RequestDecision } from './request-decision.js';
import { RequestReviewer } from './request-review.js';
import { StatusController } from './status.controller.js';

@Module({
  imports: [ServicesModule, AgentsModule, RiskModule, ApprovalsModule, AuditModule, EgressModule, IdempotencyModule],
  controllers: [ProxyController, ExecuteController, StatusController],
  providers: [
    UpstreamResponseInterceptor,
    AuditInterceptor,
    IdempotencyInterceptor,
    RequestReviewer,
    RequestDecision,
    AgentRequests,
    Forwarder,
    ActionExecutor,
    HeldActions,
    DryRun,
  ],
  exports: [AgentRequests, AuditInterceptor, IdempotencyInterceptor, RequestDecision, UpstreamResponseInterceptor],
})
export class ProxyModule {}
