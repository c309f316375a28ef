import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { IDEMPOTENCY_TTL_HOURS, UPSTREAM_TIMEOUT_MS, type HttpMethod } from '#contracts';
import { ActionEntity, IdempotencyRecordEntity, inTransaction } from '#database';
import { effectiveStatus, isRepeatable } from '../approvals/action-state.js';
import { unknownOutcome } from '../approvals/execution-claims.js';
import type { Answer } from '../approvals/stored-response.js';
import { AuditLog } from '../audit/audit-log.js';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { SqlPool } from '../platform/sql-pool.js';

const HOUR_MS = 3_600_000;
const MARGIN_MS = 10_000;
const COMPLETE_ATTEMPTS = 5;
const COMPLETE_RETRY_MS = 500;

export interface KeyedRequest {
  agentId: number;
  agentName: string;
  userId: number;
  key: string;
  method: HttpMethod;
  targetUrl: string;
  hash: string;
}

export type ClaimResult =
  /** The caller, and nobody else, may act. `claimId` is the id for the audit record. */
  | { kind: 'claimed'; claimId: string }
  | { kind: 'replay'; answer: Answer; via: 'forwarded' | 'executed-approved' }
  | { kind: 'held'; action: ActionEntity };

/** Takes the key if it is new, free again, or its day is over: one statement, so that of any number of calls one gets it. */
const CLAIM = `
  INSERT INTO idempotency_records AS r (agent_id, key, request_hash, method, status, claim_id, created_at, expires_at)
  VALUES ($1, $2, $3, $4, 'processing', $5, $6, $7)
  ON CONFLICT (agent_id, key) DO UPDATE SET
    request_hash = excluded.request_hash, method = excluded.method, status = 'processing', claim_id = excluded.claim_id,
    action_id = NULL, response_from_upstream = NULL, response_status = NULL, response_headers = NULL,
    response_body = NULL, created_at = excluded.created_at, completed_at = NULL, expires_at = excluded.expires_at
  WHERE r.status = 'failed' OR r.expires_at <= excluded.created_at OR (r.action_id = $8 AND r.claim_id = $9)
  RETURNING claim_id`;

const COMPLETE = `
  UPDATE idempotency_records SET status = 'completed', completed_at = $4, response_from_upstream = $5,
    response_status = $6, response_headers = $7, response_body = $8
  WHERE agent_id = $1 AND key = $2 AND claim_id = $3 AND status = 'processing'`;

const FAIL = `
  UPDATE idempotency_records SET status = 'failed'
  WHERE agent_id = $1 AND key = $2 AND claim_id = $3 AND status = 'processing' AND action_id IS NULL`;

/** Idempotency records: one key, one upstream call, at any concurrency and over several instances (contract 6). */
@Injectable()
export class IdempotencyStore {
  /** A claim of this age belongs to a process that is gone: the model and the upstream have both had their time. */
  private readonly staleMs: number;

  constructor(
    private readonly source: DataSource,
    private readonly sql: SqlPool,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    risk: RiskConfig,
  ) {
    this.staleMs = UPSTREAM_TIMEOUT_MS + risk.llmTimeoutMs + MARGIN_MS;
  }

  /** @throws 409 while another request has the key, 422 when it was used for a different request */
  async claim(request: KeyedRequest): Promise<ClaimResult> {
    // Each turn follows a change that somebody made between two statements; a third needs a fourth party.
    for (let turn = 0; turn < 4; turn++) {
      const claimId = await this.take(request, null);
      if (claimId !== null) return { kind: 'claimed', claimId };
      const found = await this.inspect(request);
      if (found !== null) return found;
    }
    throw errors.keyInUse();
  }

  private async take(request: KeyedRequest, over: IdempotencyRecordEntity | null): Promise<string | null> {
    const claimId = this.audit.newId();
    const now = this.clock.now();
    const { rows } = await this.sql.prepared('idempotency_claim', CLAIM, [
      request.agentId,
      request.key,
      request.hash,
      request.method,
      claimId,
      now,
      new Date(now.getTime() + IDEMPOTENCY_TTL_HOURS * HOUR_MS),
      over?.actionId ?? null,
      over?.claimId ?? null,
    ]);
    return rows.length > 0 ? claimId : null;
  }

  /** What stands in the way; null: it went away meanwhile. */
  private async inspect(request: KeyedRequest): Promise<ClaimResult | null> {
    const record = await this.source.manager.findOneBy(IdempotencyRecordEntity, {
      agentId: request.agentId,
      key: request.key,
    });
    if (record === null || record.status === 'failed') return null;
    if (record.actionId !== null) return this.inspectBound(request, record, record.actionId);
    if (record.requestHash !== request.hash) throw errors.keyReused();
    if (record.status === 'completed') return { kind: 'replay', via: 'forwarded', answer: toAnswer(record) };
    if (record.createdAt.getTime() >= this.clock.nowMs() - this.staleMs) throw errors.keyInUse();
    await this.settle(record, request);
    return null;
  }

  /** The key of a held request stays with the action until that is denied or has expired. */
  private async inspectBound(
    request: KeyedRequest,
    record: IdempotencyRecordEntity,
    actionId: string,
  ): Promise<ClaimResult | null> {
    const action = await this.source.manager.findOneBy(ActionEntity, { id: actionId });
    const status = action === null ? 'EXPIRED' : effectiveStatus(action, this.clock.nowMs());
    if (action === null || status === 'DENIED' || status === 'EXPIRED') {
      const claimId = await this.take(request, record);
      return claimId === null ? null : { kind: 'claimed', claimId };
    }
    if (record.requestHash !== request.hash) throw errors.keyReused();
    if (status !== 'EXECUTED') return { kind: 'held', action };
    return {
      kind: 'replay',
      via: 'executed-approved',
      answer: {
        fromUpstream: action.resultFromUpstream ?? true,
        status: action.resultStatus ?? 502,
        headers: action.resultHeaders ?? [],
        body: action.resultBody ?? Buffer.alloc(0),
      },
    };
  }

  /** Stores the answer before the agent gets it; the database is waited for, since the request has been sent. */
  async complete(agentId: number, key: string, claimId: string, answer: Answer): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.store(agentId, key, claimId, answer);
        return;
      } catch (error) {
        if (attempt >= COMPLETE_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, COMPLETE_RETRY_MS));
      }
    }
  }

  /** Nothing was sent: the same key may be tried again. */
  async fail(agentId: number, key: string, claimId: string): Promise<void> {
    await this.sql.prepared('idempotency_fail', FAIL, [agentId, key, claimId]);
  }

  /** Binds the key to the action that its request became, in the transaction that queues it. @throws 409 */
  async bind(tx: EntityManager, agentId: number, key: string, claimId: string, actionId: string): Promise<void> {
    const result = await tx.update(
      IdempotencyRecordEntity,
      { agentId, key, claimId, status: 'processing' },
      { actionId },
    );
    if (result.affected !== 1) throw errors.requestGivenUp();
  }

  /** Settles the claims that a crash has left. @returns how many */
  async settleStale(): Promise<number> {
    const stale: (IdempotencyRecordEntity & { userId: number; agentName: string })[] = await this.source.query(
      `SELECT r.agent_id AS "agentId", r.key, r.claim_id AS "claimId", r.method, a.user_id AS "userId",
              a.name AS "agentName"
       FROM idempotency_records r JOIN agents a ON a.id = r.agent_id
       WHERE r.status = 'processing' AND r.action_id IS NULL AND r.created_at < $1 LIMIT 500`,
      [new Date(this.clock.nowMs() - this.staleMs)],
    );
    for (const record of stale) await this.settle(record, record);
    return stale.length;
  }

  /** Deletes what is past its day. @returns how many */
  async purge(): Promise<number> {
    const result = await this.source
      .createQueryBuilder()
      .delete()
      .from(IdempotencyRecordEntity)
      .where('expires_at <= :now', { now: this.clock.now() })
      .execute();
    return result.affected ?? 0;
  }

  /** By the rule for a request without an answer, unless the audit record shows that it was never sent. */
  private async settle(
    record: Pick<IdempotencyRecordEntity, 'agentId' | 'key' | 'claimId' | 'method'>,
    about: { userId: number; agentName: string; targetUrl?: string },
  ): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      const nothingSent = await this.audit.abandon(tx, {
        id: record.claimId,
        at: this.clock.now(),
        kind: 'request',
        outcome: 'abandoned',
        userId: about.userId,
        agent: { id: record.agentId, name: about.agentName },
        method: record.method,
        url: about.targetUrl,
        reason: 'The gateway stopped before it sent the request',
      });
      const claim = {
        agentId: record.agentId,
        key: record.key,
        claimId: record.claimId,
        status: 'processing' as const,
      };
      if (nothingSent || isRepeatable(record.method)) {
        await tx.update(IdempotencyRecordEntity, claim, { status: 'failed' });
        return;
      }
      const [{ url }]: { url: string }[] = await tx.query('SELECT url FROM audit_records WHERE id = $1', [
        record.claimId,
      ]);
      const answer = unknownOutcome(url);
      await tx.query(COMPLETE, [record.agentId, record.key, record.claimId, this.clock.now(), ...toColumns(answer)]);
    });
  }

  private async store(agentId: number, key: string, claimId: string, answer: Answer): Promise<void> {
    const values = [agentId, key, claimId, this.clock.now(), ...toColumns(answer)];
    await this.sql.prepared('idempotency_complete', COMPLETE, values);
  }
}

function toColumns({ fromUpstream, status, headers, body }: Answer): unknown[] {
  return [fromUpstream, status, JSON.stringify(headers), body];
}

function toAnswer(record: IdempotencyRecordEntity): Answer {
  return {
    fromUpstream: record.responseFromUpstream ?? true,
    status: record.responseStatus ?? 502,
    headers: record.responseHeaders ?? [],
    body: record.responseBody ?? Buffer.alloc(0),
  };
}
