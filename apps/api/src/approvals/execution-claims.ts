import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ActionEntity, inTransaction } from '#database';
import type { AnswerRoom } from '../agents/answer-room.js';
import { AuditLog } from '../audit/audit-log.js';
import { Metrics } from '../observability/metrics.js';
import { STALE_CLAIM_MS } from '../platform/claim-time.js';
import { errors } from '../platform/errors.js';
import { retry, SHORT_OUTAGE } from '../platform/retry.js';
import { EXECUTION_IN_PROGRESS } from './action-state.js';
import { ApprovalQueue } from './approval-queue.js';
import type { Answer } from '../egress/answer.js';
import { unknownOutcome } from '../egress/error-answer.js';
import { isRepeatable } from '../egress/repeatable.js';
import { isRepeatableRequest } from '../request-reading/repeatable-request.js';
import { HeldBodies } from './held-bodies.js';
import { actionsWithoutBodies } from './stored-actions.js';

/**
 * The right to execute an approved action. One conditional update claims it before anything is sent, so that only one
 * of several calls forwards. The claim's id is the id of the execution's audit record. After a crash, that record
 * shows whether anything can have been sent. See docs/reference/states.md#execution-claim.
 */
@Injectable()
export class ExecutionClaims {
  constructor(
    private readonly source: DataSource,
    private readonly queue: ApprovalQueue,
    private readonly audit: AuditLog,
    private readonly bodies: HeldBodies,
    private readonly metrics: Metrics,
  ) {}

  /** An action that the agent may execute now. @throws 404, 409, 410 (docs/reference/agent-api.md#execute) */
  async executable(agentId: number, actionId: string, room: AnswerRoom | null): Promise<ActionEntity> {
    let action = await this.queue.ofAgent(agentId, actionId, room);
    if (this.isStale(action)) {
      await this.settle(action);
      action = await this.queue.ofAgent(agentId, actionId, room);
    }
    if (action.status !== 'APPROVED') throw errors.cannotExecute(action.effectiveStatus);
    if (action.claimId !== null) throw errors.cannotExecute(EXECUTION_IN_PROGRESS);
    if (action.agentStatus === 'PENDING') throw errors.cannotExecute('PENDING');
    if (action.effectiveStatus === 'EXPIRED') {
      await this.queue.expireApproval(action.id);
      throw errors.approvalExpired();
    }
    return action;
  }

  /** @returns the claim's id @throws 409, 410 when another call claimed it first, or its time is over */
  async claim(action: ActionEntity, room: AnswerRoom | null): Promise<string> {
    const claimId = this.audit.newId();
    const result = await this.source
      .createQueryBuilder()
      .update(ActionEntity)
      .set({ claimId, claimedAt: () => 'clock_timestamp()' })
      .where(`id = :id AND status = 'APPROVED' AND claim_id IS NULL AND approval_expires_at > clock_timestamp()`, {
        id: action.id,
      })
      .andWhere('(counts_from IS NULL OR counts_from <= clock_timestamp())')
      .execute();
    if (result.affected !== 1) {
      await this.executable(action.agentId ?? 0, action.id, room);
      throw errors.cannotExecute(EXECUTION_IN_PROGRESS);
    }
    return claimId;
  }

  /**
   * Stores the answer before the agent gets it. The request was sent and the answer exists nowhere else, so this
   * retries during a short outage of the database.
   */
  complete(actionId: string, claimId: string, answer: Answer): Promise<void> {
    return retry(() => this.store(this.source.manager, actionId, claimId, answer), SHORT_OUTAGE);
  }

  /** Releases the claim: nothing was sent, or the request may be sent again. */
  async release(actionId: string, claimId: string, tx: EntityManager = this.source.manager): Promise<void> {
    await tx
      .createQueryBuilder()
      .update(ActionEntity)
      .set({ claimId: null, claimedAt: null })
      .where('id = :actionId AND claim_id = :claimId', { actionId, claimId })
      .execute();
  }

  /** Settles the claims that a crash has left. @returns how many */
  async settleStale(): Promise<number> {
    const stale = await actionsWithoutBodies(this.source)
      .where(`a.status = 'APPROVED' AND a.claim_id IS NOT NULL`)
      .andWhere('a.claimed_at < now() - make_interval(secs => :seconds)', { seconds: STALE_CLAIM_MS / 1000 })
      .limit(500)
      .getMany();
    for (const action of stale) await this.settle(action);
    return stale.length;
  }

  private isStale(action: ActionEntity): boolean {
    return action.claimAgeMs !== null && action.claimAgeMs > STALE_CLAIM_MS;
  }

  /**
   * Settles one claim. If the audit record shows that nothing was sent, the action is released. Otherwise it is treated
   * like a request without an answer.
   */
  private async settle(action: ActionEntity): Promise<void> {
    const claimId = action.claimId;
    if (claimId === null) return;
    const mayRepeat = await this.mayRepeat(action);
    await inTransaction(this.source, async (tx) => {
      const record = this.audit.newRecord('abandoned', {
        id: claimId,
        kind: 'execution',
        agent: { id: action.agentId, name: action.agentName, workspaceId: action.workspaceId },
        service: { id: action.serviceId, name: action.serviceName },
        call: action,
        actionId: action.id,
        reason: 'The gateway stopped before it sent the request',
      });
      const nothingSent = await this.audit.abandon(tx, record);
      if (nothingSent || mayRepeat) await this.release(action.id, claimId, tx);
      else await this.store(tx, action.id, claimId, unknownOutcome(action.targetUrl));
    });
  }

  /** A body can ask for another method. It is read here, because many actions are read without their bodies. */
  private async mayRepeat({ id, method, targetUrl, headers }: ActionEntity): Promise<boolean> {
    if (!isRepeatable(method)) return false;
    const select = { id: true, body: true, headers: true, bodyHash: true };
    const body = await this.bodies.of(await this.source.manager.findOneOrFail(ActionEntity, { where: { id }, select }));
    return isRepeatableRequest({ method, targetUrl, headers, body: body?.judged ?? null, rawBody: body?.raw });
  }

  private async store(tx: EntityManager, actionId: string, claimId: string, answer: Answer): Promise<void> {
    const { affected } = await tx
      .createQueryBuilder()
      .update(ActionEntity)
      .set({
        status: 'EXECUTED',
        executedAt: () => `date_trunc('milliseconds', now())`,
        claimId: null,
        claimedAt: null,
        resultFromUpstream: answer.fromUpstream,
        resultStatus: answer.status,
        resultHeaders: answer.headers,
        resultBody: answer.body,
      })
      .where(`id = :actionId AND claim_id = :claimId AND status = 'APPROVED'`, { actionId, claimId })
      .execute();
    this.metrics.actionsCameTo('executed', affected ?? 0);
  }
}
