import { Injectable } from '@nestjs/common';
import { AuditLog } from '../audit/audit-log.js';
import type { Answer } from '../egress/answer.js';
import { errorAnswer } from '../egress/error-answer.js';
import { IdempotencyStore, type RecordAhead } from '../idempotency/idempotency-store.js';
import { StoredAnswers } from '../idempotency/stored-answers.js';
import { Metrics } from '../observability/metrics.js';
import { BackgroundWork } from '../platform/background.js';
import { SEND_WITHIN_MS } from '../platform/claim-time.js';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { Connections, isConnected } from '../connections/connections.js';
import { CredentialVault } from '../credentials/credential-vault.js';
import { isRepeatableRequest } from '../request-reading/repeatable-request.js';
import { Claims, type TimedClaim } from './claims.js';
import type { ProxyOutcome, Queued } from './outcome.js';
import { requestHash } from './proxy-call.js';
import { Refusal } from './refusal.js';
import { ReviewedCall, toRiskRequest } from './reviewed-call.js';
import { RunningStreams } from './running-streams.js';
import type { StreamEnd, StreamedAnswer } from './streamed-answer.js';

type Reviewed = ReviewedCall | Refusal;
type Sent = ProxyOutcome | Queued;
type Send = (claim: TimedClaim) => Promise<Sent>;

interface StreamClaim {
  isRepeatable: () => boolean;
  complete: (answer: Answer) => Promise<void>;
  release: () => Promise<void>;
  renew: () => Promise<void>;
}

/**
 * One idempotency key, one upstream request (docs/reference/idempotency.md#states). A request without a key claims
 * nothing but its own audit record.
 */
@Injectable()
export class OncePerKey {
  constructor(
    private readonly store: IdempotencyStore,
    private readonly stored: StoredAnswers,
    private readonly claims: Claims,
    private readonly audit: AuditLog,
    private readonly vault: CredentialVault,
    private readonly connections: Connections,
    private readonly background: BackgroundWork,
    private readonly streams: RunningStreams,
    private readonly clock: Clock,
    private readonly risk: RiskConfig,
    private readonly metrics: Metrics,
  ) {}

  once(reviewed: Reviewed, send: Send): Promise<Sent> {
    // A pause refuses repeats too.
    if (reviewed instanceof Refusal && reviewed.code === 'paused') throw reviewed;
    const key = reviewed.call.idempotencyKey;
    return key === null
      ? send({ claimId: this.audit.newId(), recorded: false, sendByMs: this.sendByMs() })
      : this.underKey(key, reviewed, send);
  }

  private sendByMs(): number {
    return this.clock.monotonicMs() + this.risk.llmTimeoutMs + SEND_WITHIN_MS;
  }

  private async underKey(key: string, reviewed: Reviewed, send: Send): Promise<Sent> {
    const { agent, call } = reviewed;
    const { method, targetUrl, room } = call;
    const isFull = this.stored.isFull(agent.id);
    const sendByMs = this.sendByMs();
    const found = await this.metrics.step('idempotency', () =>
      this.store.claim(
        { agent, key, method, targetUrl, hash: requestHash(call), room },
        isFull ? null : this.recordAhead(reviewed),
      ),
    );
    if (found.kind === 'replay') {
      const { service } = reviewed;
      const record = this.audit.newRecord('replayed', { agent, call, service, status: found.answer.status });
      this.background.run('record of a replay', () => this.audit.write(record));
      return { kind: 'answered', answer: found.answer, via: found.via, reason: 'repeat' };
    }
    if (found.kind === 'held') return { kind: 'queued', agent, call, action: found.action };

    const { claim } = found;
    const { claimId } = claim;
    const isRepeatable = (): boolean => isRepeatableRequest(toRiskRequest(call, call.headers));
    const complete = (answer: Answer): Promise<void> =>
      this.store.complete({ agentId: agent.id, key, claimId, serviceId: reviewed.service?.id ?? null, answer });
    const release = (): Promise<void> => this.store.fail(agent.id, key, claimId);
    // A stored answer is still replayed. A new answer would be one more to store.
    const outcome = await (isFull ? Promise.reject<Sent>(errors.tooMuchStored()) : send({ ...claim, sendByMs })).catch(
      (error: unknown) => this.claims.endUnanswered({ claimId, isRepeatable, complete, release }, error),
    );
    if (outcome.kind === 'streamed') {
      const renew = (): Promise<void> => this.store.renew(agent.id, key, claimId);
      this.keepStream(outcome.answer, reviewed, { isRepeatable, complete, release, renew });
    }
    // An executed action stores its own result, and the key is bound to the action. If the database does not store this
    // answer, the claim stays, and the settlement ends it like one that a crash has left: the request was sent.
    if (outcome.kind === 'answered' && outcome.via === 'forwarded') {
      const { answer } = outcome;
      await this.metrics.step('store', () => complete(answer));
      this.stored.add(agent.id, answer.body.length);
    }
    return outcome;
  }

  /** Stores the answer when it is complete, and renews the claim until then (docs/reference/idempotency.md#streams). */
  private keepStream(
    answer: StreamedAnswer,
    reviewed: Reviewed,
    { isRepeatable, complete, release, renew }: StreamClaim,
  ): void {
    this.streams.renewing(answer, renew);
    const store = async ({ kept, error }: StreamEnd): Promise<void> => {
      // An incomplete answer is not stored. If it may not be repeated, the request must not be sent again either.
      if (error !== null && isRepeatable()) return release();
      await complete(kept ?? errorAnswer(errors.answerNotKept()));
      if (kept !== null) this.stored.add(reviewed.agent.id, kept.body.length);
    };
    // Background work begins only now, because nobody knows how long the stream will last, and a shutdown waits for
    // that work.
    const stored = new Promise<void>((done) => {
      const storeIt = async (end: StreamEnd): Promise<void> => {
        try {
          await store(end);
        } finally {
          done();
        }
      };
      void answer.ended.then((end) => this.background.run('answer of a stream', () => storeIt(end)));
    });
    answer.keep(stored);
  }

  /**
   * The audit record, if the request will certainly be forwarded once its key is free. One statement then writes claim
   * and record, which saves a round trip.
   */
  private recordAhead(reviewed: Reviewed): RecordAhead | null {
    if (!(reviewed instanceof ReviewedCall) || reviewed.verdict?.decision !== 'forward') return null;
    const { agent, call, service, verdict } = reviewed;
    // A connection that needs a new token gets it before the record is written. A request that has just renewed it uses
    // it, however short its life is.
    if (agent.renewedServiceId === service.id) return null;
    if (isConnected(service) && !this.connections.isFresh(service)) return null;
    if (!this.vault.hasInjection(service)) return null;
    return {
      service,
      equal: reviewed.equalRequest(verdict),
      limits: verdict.limits,
      record: (claimId) => this.audit.newRecord('forwarded', { id: claimId, agent, call, service, risk: verdict }),
    };
  }
}
