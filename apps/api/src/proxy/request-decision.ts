import { Injectable } from '@nestjs/common';
import { EgressClient } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import { ApprovalQueue } from '../approvals/approval-queue.js';
import { AuditLog } from '../audit/audit-log.js';
import { errors } from '../platform/errors.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import { guardAddress } from '../egress/egress-errors.js';
import { OperationIndex } from '../services/documentation/operation-index.js';
import { judgedMethod } from '../services/request-methods.js';
import { describeRequest } from '../services/request-summary.js';
import { statedOperation } from '../services/stated-operation.js';
import { DryRun } from './dry-run.js';
import { Forwarder, StandingDenial, type Departure } from './forwarder.js';
import { HeldActions } from './held-actions.js';
import { IdempotencyStore } from '../idempotency/idempotency-store.js';
import type { ProxyOutcome } from './outcome.js';
import { equalHash, equalRequest, type ProxyCall, type Review } from './proxy-call.js';
import { RequestReviewer, riskRequest } from './request-review.js';

/** What becomes of a well-formed request: forwarded, held, or refused. Its callers put the interceptors around it. */
@Injectable()
export class RequestDecision {
  constructor(
    private readonly reviewer: RequestReviewer,
    private readonly risk: RiskAssessor,
    private readonly egress: EgressClient,
    private readonly forwarder: Forwarder,
    private readonly queue: ApprovalQueue,
    private readonly heldActions: HeldActions,
    private readonly keys: IdempotencyStore,
    private readonly operations: OperationIndex,
    private readonly audit: AuditLog,
    private readonly dryRun: DryRun,
  ) {}

  async decide(agent: AgentView, call: ProxyCall): Promise<ProxyOutcome> {
    if (call.dryRun) return this.dryRun.preview(agent, call);
    const review = this.reviewer.review(agent, call);
    const verdict = (review.verdict ??= await this.risk.assess(
      agent.id,
      review.service,
      riskRequest(call, review.headers),
    ));
    switch (verdict.decision) {
      case 'deny':
        throw errors.deniedByRule(verdict.rule?.name ?? '');
      case 'hold':
        return this.hold(agent, call, review, verdict);
      case 'forward':
        return this.forward(agent, call, review, verdict);
    }
  }

  private async forward(agent: AgentView, call: ProxyCall, review: Review, risk: RiskVerdict): Promise<ProxyOutcome> {
    const { service, url, headers } = review;
    const { method, targetUrl, body, intent, requestId, claim } = call;
    // Field by field: V8 gives each copy of two objects by `...` a hidden class of its own.
    const departure: Departure = {
      kind: 'request',
      recordId: claim?.id ?? this.audit.newId(),
      recorded: claim?.recorded ?? false,
      agent,
      service,
      method,
      targetUrl,
      url,
      headers,
      body,
      intent,
      risk,
      requestId,
      equal: equalRequest(call, review),
    };
    try {
      return { kind: 'answered', answer: await this.forwarder.forward(departure), via: 'forwarded' };
    } catch (error) {
      // A no of a person holds, whatever the score of the same request is now.
      if (error instanceof StandingDenial) return this.hold(agent, call, review, risk);
      throw error;
    }
  }

  private async hold(agent: AgentView, call: ProxyCall, review: Review, verdict: RiskVerdict): Promise<ProxyOutcome> {
    const { service, url, headers } = review;
    // No human is asked about a request that could never be sent.
    await guardAddress(url, this.egress);
    const operation = await this.operations.match(service, call.method, url.href);
    const { idempotencyKey: key, claim } = call;
    const stated = { ...call, headers };
    const action = await this.queue.hold(
      {
        ...call,
        agent,
        service,
        headers,
        verdict,
        summary: describeRequest(judgedMethod(stated), url, service, operation, statedOperation(stated)),
        equalHash: equalHash(call, review),
        hasKey: key !== null,
      },
      key === null || claim === null
        ? undefined
        : (tx, actionId) =>
            this.keys.bind(tx, { agentId: agent.id, key, claimId: claim.id, serviceId: service.id }, actionId),
    );
    return this.heldActions.answer(agent, call, action);
  }
}
