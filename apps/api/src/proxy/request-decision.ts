import { Injectable } from '@nestjs/common';
import { EgressClient } from '#egress';
import { ApprovalQueue } from '../approvals/approval-queue.js';
import { errors } from '../platform/errors.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import { guardAddress } from '../egress/egress-errors.js';
import { OperationIndex } from '../services/documentation/operation-index.js';
import { judgedMethod } from '../services/request-methods.js';
import { describeRequest } from '../services/request-summary.js';
import { statedOperation } from '../services/stated-operation.js';
import { DryRun } from './dry-run.js';
import type { Departure } from './departure.js';
import { Forwarder, StandingDenial } from './forwarder.js';
import { HeldActions } from './held-actions.js';
import { IdempotencyStore, type Claim } from '../idempotency/idempotency-store.js';
import type { ProxyOutcome } from './outcome.js';
import { Refusal, refuses } from './refusal.js';
import type { ReviewedCall } from './reviewed-call.js';
import { StreamedAnswer } from './streamed-answer.js';

/** Decides whether a reviewed call is forwarded, held or denied. */
@Injectable()
export class RequestDecision {
  constructor(
    private readonly risk: RiskAssessor,
    private readonly egress: EgressClient,
    private readonly forwarder: Forwarder,
    private readonly queue: ApprovalQueue,
    private readonly heldActions: HeldActions,
    private readonly keys: IdempotencyStore,
    private readonly operations: OperationIndex,
    private readonly dryRun: DryRun,
  ) {}

  async decide(reviewed: ReviewedCall | Refusal, claim: Claim): Promise<ProxyOutcome> {
    if (reviewed instanceof Refusal) throw reviewed;
    if (reviewed.call.dryRun) return this.dryRun.preview(reviewed);
    const { agent, call, service } = reviewed;
    const verdict = reviewed.verdict ?? (await this.risk.assess(agent.id, service, reviewed.riskRequest));
    try {
      switch (verdict.decision) {
        case 'deny':
          throw errors.deniedByRule(verdict.rule?.name ?? '');
        case 'hold':
          return await this.hold(reviewed, verdict, claim);
        case 'forward':
          return await this.forward(reviewed, verdict, claim);
      }
    } catch (error) {
      throw refuses(error) ? new Refusal(error, agent, call, service, verdict) : error;
    }
  }

  private async forward(reviewed: ReviewedCall, risk: RiskVerdict, claim: Claim): Promise<ProxyOutcome> {
    const { agent, call, service, url, headers } = reviewed;
    const { method, targetUrl, body, intent, requestId } = call;
    // Copied field by field, because V8 gives each object made by `...` from two others a hidden class of its own.
    const departure: Departure = {
      kind: 'request',
      claimId: claim.claimId,
      recorded: claim.recorded,
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
      streaming: call.streaming ?? 'none',
      equal: reviewed.equalRequest(risk),
    };
    try {
      const answer = await this.forwarder.open(departure);
      if (answer instanceof StreamedAnswer) return { kind: 'streamed', answer, via: 'forwarded' };
      return { kind: 'answered', answer, via: 'forwarded' };
    } catch (error) {
      // A person's denial stays in force, whatever the score of the same request is now.
      if (error instanceof StandingDenial) return this.hold(reviewed, risk, claim);
      throw error;
    }
  }

  private async hold(reviewed: ReviewedCall, verdict: RiskVerdict, { claimId }: Claim): Promise<ProxyOutcome> {
    const { agent, call, service, url, headers, equalHash } = reviewed;
    // No approver should see a request that can never be sent.
    await guardAddress(url, this.egress);
    const operation = await this.operations.match(service, call.method, url.href);
    const { idempotencyKey: key } = call;
    const stated = reviewed.riskRequest;
    const summary = describeRequest(judgedMethod(stated), url, service, operation, statedOperation(stated));
    const action = await this.queue.hold(
      { ...call, agent, service, headers, verdict, summary, equalHash, hasKey: key !== null },
      key === null
        ? undefined
        : (tx, actionId) => this.keys.bind(tx, { agentId: agent.id, key, claimId, serviceId: service.id }, actionId),
    );
    return this.heldActions.answer(agent, call, action);
  }
}
