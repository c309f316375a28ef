import { Injectable } from '@nestjs/common';
import type { AgentView } from '../agents/agent-directory.js';
import { isRepeatable } from '../egress/repeatable.js';
import { errorAnswer } from '../egress/error-answer.js';
import type { Answer } from '../egress/answer.js';
import { BackgroundWork } from '../platform/background.js';
import { AuditLog } from '../audit/audit-log.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { isDatabaseAway } from '../platform/http/database-away.js';
import { Log } from '../platform/logging.js';
import type { Around, Exchange, Handle } from './around.js';
import { departureRecord, ForwardError } from './forwarder.js';
import { HeldActions } from './held-actions.js';
import { IdempotencyStore, type RecordAhead } from '../idempotency/idempotency-store.js';
import type { ProxyOutcome } from './outcome.js';
import { equalRequest, requestHash, type ProxyCall } from './proxy-call.js';
import { RequestReviewer } from './request-review.js';
import { StoredAnswers } from '../idempotency/stored-answers.js';

/** One key, one upstream call (docs/reference/idempotency.md#states). Requests without a key pass through. */
@Injectable()
export class IdempotencyInterceptor implements Around {
  constructor(
    private readonly store: IdempotencyStore,
    private readonly stored: StoredAnswers,
    private readonly heldActions: HeldActions,
    private readonly reviewer: RequestReviewer,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
    private readonly log: Log,
  ) {}

  around({ agent, proxyCall: call }: Exchange, handle: Handle): Promise<ProxyOutcome> {
    const key = call?.idempotencyKey ?? null;
    return call === undefined || key === null ? handle() : this.once(agent, call, key, handle);
  }

  private async once(agent: AgentView, call: ProxyCall, key: string, handle: Handle): Promise<ProxyOutcome> {
    const request = {
      agent,
      key,
      method: call.method,
      targetUrl: call.targetUrl,
      hash: requestHash(call),
    };
    const isFull = this.stored.isFull(agent.id);
    const claim = await this.store.claim(request, isFull ? null : this.recordAhead(agent, call));
    if (claim.kind === 'replay') {
      this.background.run('record of a replay', () => this.recordReplay(agent, call, claim.answer.status));
      return { kind: 'answered', answer: claim.answer, via: claim.via };
    }
    if (claim.kind === 'held') return this.heldActions.answer(agent, call, claim.action);

    call.claim = claim.claim;
    // What is stored already is still told; a new answer would be one more.
    const send = isFull ? () => Promise.reject<ProxyOutcome>(errors.tooMuchStored()) : handle;
    const outcome = await send().catch(async (error: unknown) => {
      const giveBack = () => this.giveBack(agent, call, key, claim.claim.id, error);
      // A database that is away would take its time to say so once more.
      if (isDatabaseAway(error)) this.background.run('idempotency key given back', giveBack);
      else await giveBack();
      throw error;
    });
    // An executed action keeps its result itself; the key is bound to it. If the database does not take the answer, the
    // claim stays, and is settled by the rule for a crash: the request was sent.
    if (outcome.kind === 'answered' && outcome.via === 'forwarded') {
      await this.complete(agent, call, key, claim.claim.id, outcome.answer);
      this.stored.add(agent.id, outcome.answer.body.length);
    }
    return outcome;
  }

  private recordReplay(agent: AgentView, call: ProxyCall, status: number): Promise<unknown> {
    const { method, targetUrl: url, intent, requestId } = call;
    const { userId } = agent;
    return this.audit.write(
      {
        id: this.audit.newId(),
        at: this.clock.now(),
        kind: 'request',
        outcome: 'replayed',
        userId,
        requestId,
        agent,
        service: call.service ?? undefined,
        method,
        url,
        intent,
        status,
      },
      null,
    );
  }

  /**
   * The audit record, if it is certain already that the request will be forwarded should its key be free: then the claim
   * and the record are one statement, and one wait less.
   */
  private recordAhead(agent: AgentView, call: ProxyCall): RecordAhead | null {
    try {
      const review = this.reviewer.review(agent, call);
      const { service, verdict } = review;
      if (verdict?.decision !== 'forward') return null;
      const { method, targetUrl, intent, requestId } = call;
      return {
        service,
        equal: equalRequest(call, review),
        record: (recordId) =>
          departureRecord(
            { kind: 'request', recordId, agent, service, method, targetUrl, intent, risk: verdict, requestId },
            this.clock.now(),
          ),
      };
    } catch {
      // Refused: by the handler, once the key has had its say.
      return null;
    }
  }

  private complete(agent: AgentView, call: ProxyCall, key: string, claimId: string, answer: Answer): Promise<void> {
    return this.store.complete({ agentId: agent.id, key, claimId, serviceId: call.service?.id ?? null, answer });
  }

  /** What may have been sent must not be sent again; anything else may be tried again with the same key. */
  private async giveBack(
    agent: AgentView,
    call: ProxyCall,
    key: string,
    claimId: string,
    error: unknown,
  ): Promise<void> {
    try {
      if (error instanceof ForwardError && error.sent && !isRepeatable(call.method)) {
        await this.complete(agent, call, key, claimId, errorAnswer(error));
      } else {
        await this.store.fail(agent.id, key, claimId);
      }
    } catch (err) {
      // The claim stays, and is settled by the rule for a crash.
      this.log.warn({ err, requestId: call.requestId }, 'idempotency record could not be settled');
    }
  }
}
