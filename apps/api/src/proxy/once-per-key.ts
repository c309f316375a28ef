import { Injectable } from '@nestjs/common';
import { AuditLog } from '../audit/audit-log.js';
import type { Answer } from '../egress/answer.js';
import { type Claim, IdempotencyStore, type RecordAhead } from '../idempotency/idempotency-store.js';
import { StoredAnswers } from '../idempotency/stored-answers.js';
import { BackgroundWork } from '../platform/background.js';
import { errors } from '../platform/errors.js';
import { Connections, isConnected } from '../services/connections/oauth/connections.js';
import { CredentialVault } from '../services/credential-vault.js';
import { Claims } from './claims.js';
import { HeldActions } from './held-actions.js';
import type { ProxyOutcome } from './outcome.js';
import { requestHash } from './proxy-call.js';
import type { Refusal } from './refusal.js';
import { ReviewedCall } from './reviewed-call.js';

type Reviewed = ReviewedCall | Refusal;
type Send = (claim: Claim) => Promise<ProxyOutcome>;

/**
 * One idempotency key, one upstream request (docs/reference/idempotency.md#states). A request without a key claims nothing
 * but its own audit record.
 */
@Injectable()
export class OncePerKey {
  constructor(
    private readonly store: IdempotencyStore,
    private readonly stored: StoredAnswers,
    private readonly heldActions: HeldActions,
    private readonly claims: Claims,
    private readonly audit: AuditLog,
    private readonly vault: CredentialVault,
    private readonly connections: Connections,
    private readonly background: BackgroundWork,
  ) {}

  once(reviewed: Reviewed, send: Send): Promise<ProxyOutcome> {
    const key = reviewed.call.idempotencyKey;
    return key === null ? send({ claimId: this.audit.newId(), recorded: false }) : this.underKey(key, reviewed, send);
  }

  private async underKey(key: string, reviewed: Reviewed, send: Send): Promise<ProxyOutcome> {
    const { agent, call } = reviewed;
    const { method, targetUrl } = call;
    const isFull = this.stored.isFull(agent.id);
    const found = await this.store.claim(
      { agent, key, method, targetUrl, hash: requestHash(call) },
      isFull ? null : this.recordAhead(reviewed),
    );
    if (found.kind === 'replay') {
      const { service } = reviewed;
      const record = this.audit.recordOf('replayed', { agent, call, service, status: found.answer.status });
      this.background.run('record of a replay', () => this.audit.write(record, null));
      return { kind: 'answered', answer: found.answer, via: found.via };
    }
    if (found.kind === 'held') return this.heldActions.answer(agent, call, found.action);

    const { claim } = found;
    const { claimId } = claim;
    const complete = (answer: Answer): Promise<void> =>
      this.store.complete({ agentId: agent.id, key, claimId, serviceId: reviewed.service?.id ?? null, answer });
    const release = (): Promise<void> => this.store.fail(agent.id, key, claimId);
    // A stored answer is still replayed. A new answer would be one more to store.
    const outcome = await (isFull ? Promise.reject<ProxyOutcome>(errors.tooMuchStored()) : send(claim)).catch(
      (error: unknown) => this.claims.giveBack({ claimId, method, complete, release }, error),
    );
    // An executed action stores its own result, and the key is bound to the action. If the database does not store this answer,
    // the claim stays, and the settlement ends it like one that a crash has left: the request was sent.
    if (outcome.kind === 'answered' && outcome.via === 'forwarded') {
      await complete(outcome.answer);
      this.stored.add(agent.id, outcome.answer.body.length);
    }
    return outcome;
  }

  /**
   * The audit record, if the request will certainly be forwarded once its key is free. One statement then writes claim and
   * record, which saves a round trip.
   */
  private recordAhead(reviewed: Reviewed): RecordAhead | null {
    if (!(reviewed instanceof ReviewedCall) || reviewed.verdict?.decision !== 'forward') return null;
    const { agent, call, service, verdict } = reviewed;
    // A connection that needs a new token gets it before the record is written.
    if (isConnected(service) && !this.connections.isFresh(service)) return null;
    if (!this.vault.hasInjection(service)) return null;
    return {
      service,
      equal: reviewed.equalRequest(verdict),
      record: (claimId) => this.audit.recordOf('forwarded', { id: claimId, agent, call, service, risk: verdict }),
    };
  }
}
