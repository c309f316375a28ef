/**
 * The path of a request: the pipeline, and the endpoints that send, execute and report status. Depends on idempotency
 * and everything below it. The other doors import it.
 */
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EgressModule } from '../egress/egress.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { RiskModule } from '../risk/risk.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { DocumentationModule } from '../documentation/documentation.module.js';
import { ActionExecutor } from './action-executor.js';
import { DryRun } from './dry-run.js';
import { ExecuteController } from './execute.controller.js';
import { Forwarder } from './forwarder.js';
import { HeldActions } from './held-actions.js';
import { HoldPreparation } from './hold-preparation.js';
import { Claims } from './claims.js';
import { OncePerKey } from './once-per-key.js';
import { ProxyPipeline } from './proxy-pipeline.js';
import { Refusals } from './refusals.js';
import { RunningStreams } from './running-streams.js';
import { RequestReviewer } from './request-reviewer.js';
import { RequestCounter } from './request-counter.js';
import { ProxyController } from './proxy.controller.js';
import { RequestDecision } from './request-decision.js';
import { ReviseController } from './revise.controller.js';
import { Revisions } from './revisions.js';
import { StatusController } from './status.controller.js';

@Module({
  imports: [
    MembershipModule,
    CredentialsModule,
    ConnectionsModule,
    DocumentationModule,
    AgentsModule,
    RiskModule,
    RulesModule,
    ApprovalsModule,
    AuditModule,
    EgressModule,
    IdempotencyModule,
  ],
  controllers: [ProxyController, ExecuteController, StatusController, ReviseController],
  providers: [
    ProxyPipeline,
    RequestCounter,
    Refusals,
    RequestReviewer,
    RunningStreams,
    OncePerKey,
    RequestDecision,
    DryRun,
    Forwarder,
    HeldActions,
    HoldPreparation,
    ActionExecutor,
    Claims,
    Revisions,
  ],
  exports: [ProxyPipeline, RequestCounter],
})
export class ProxyModule {}
