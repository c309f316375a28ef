import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { IDEMPOTENCY_TTL_HOURS, UPSTREAM_TIMEOUT_MS, type HttpMethod } from '#contracts';
import { ActionEntity, IdempotencyRecordEntity, inTransaction, sqlState } from '#database';
import { effectiveStatus, isRepeatable } from '../approvals/action-state.js';
import { unknownOutcome } from '../approvals/execution-claims.js';
import { storedAnswer, type Answer } from '../approvals/stored-response.js';
import { StaleConfiguration } from '../agents/stale-configuration.js';
import { AuditLog } from '../audit/audit-log.js';
import { toRow, type NewAuditRecord } from '../audit/audit-record.js';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { GroupCommit } from '../platform/group-commit.js';
import { SqlPool } from '../platform/sql-pool.js';
import { CLAIM, COMPLETE, COMPLETE_BATCH, FAIL, STILL_OPEN, TAKE_OVER } from './idempotency-statements.js';
import type { Claim } from './proxy-call.js';

const FOREIGN_KEY_VIOLATION = '23503';
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

type ClaimRequest = KeyedRequest & { claimId: string; ahead: RecordAhead | null };

interface Completion {
  agentId: number;
  key: string;
  claimId: string;
  answer: Answer;
}

export type ClaimResult =
  /** The caller, and nobody else, may act. */
  | { kind: 'claimed'; claim: Claim }
  | { kind: 'replay'; answer: Answer; via: 'forwarded' | 'executed-approved' }
  | { kind: 'held'; action: ActionEntity };

/** An audit record to write with the claim, under the epoch that its request was judged by. */
export interface RecordAhead {
  epoch: string;
  record: (claimId: string) => NewAuditRecord;
}

/** Larger answers travel by themselves, as bytes. */
const BATCHED_BODY_MAX_BYTES = 32 * 1024;

/** Idempotency records: one key, one upstream call, at any concurrency and over several instances (contract 6). */
@Injectable()
export class IdempotencyStore {
  /** A claim of this age belongs to a process that is gone: the model and the upstream have both had their time. */
  private readonly staleMs: number;
  private readonly claims = new GroupCommit<ClaimRequest, { claimed: boolean; epoch: string }>((batch) =>
    this.claimBatch(batch),
  );
  private readonly completions = new GroupCommit<Completion, void>((batch) => this.completeBatch(batch));

  constructor(
    private readonly source: DataSource,
    private readonly sql: SqlPool,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    risk: RiskConfig,
  ) {
    this.staleMs = UPSTREAM_TIMEOUT_MS + risk.llmTimeoutMs + MARGIN_MS;
  }

  /**
   * @param ahead the audit record, if it can be written with the claim
   * @throws 409 while another request has the key, 422 when it was used for a different request, StaleConfiguration
   */
  async claim(request: KeyedRequest, ahead: RecordAhead | null): Promise<ClaimResult> {
    // Each turn follows a change that somebody made between two statements; a third needs a fourth party.
    for (let turn = 0; turn < 4; turn++) {
      const claimId = this.audit.newId();
      const { claimed, epoch } = await this.claims
        .add({ ...request, claimId, ahead })
        .catch((error: unknown) => this.whenAgentIsGone(error));
      if (claimed) return { kind: 'claimed', claim: { id: claimId, recorded: ahead !== null } };
      if (ahead !== null && ahead.epoch !== epoch) throw new StaleConfiguration(epoch);
      const found = await this.inspect(request);
      if (found !== null) return found;
    }
    throw errors.keyInUse();
  }

  /** The agent was in the cache, and is deleted: its key's next look-up says 401. */
  private async whenAgentIsGone(error: unknown): Promise<never> {
    if (sqlState(error) !== FOREIGN_KEY_VIOLATION) throw error;
    const [{ epoch }] = await this.source.query<{ epoch: string }[]>('SELECT epoch::text FROM config_epoch');
    throw new StaleConfiguration(epoch);
  }

  private async claimBatch(batch: ClaimRequest[]): Promise<{ claimed: boolean; epoch: string }[]> {
    // One statement can take a key once; the second who asks in the same moment finds it taken.
    const first = new Map(batch.map((request) => [`${request.agentId} ${request.key}`, request] as const).reverse());
    const now = this.clock.now();
    const given = [...first.values()].map(({ agentId, key, hash, method, claimId, ahead }) => ({
      agent_id: agentId,
      key,
      request_hash: hash,
      method,
      claim_id: claimId,
      judged: ahead?.epoch,
      record: ahead === null ? null : toRow(ahead.record(claimId)),
    }));
    const { rows } = await this.sql.prepared<{ epoch: string; ids: string[] | null }>('idempotency_claim', CLAIM, [
      JSON.stringify(given),
      now,
      new Date(now.getTime() + IDEMPOTENCY_TTL_HOURS * HOUR_MS),
    ]);
    const claimed = new Set(rows[0].ids);
    return batch.map(({ claimId }) => ({ claimed: claimed.has(claimId), epoch: rows[0].epoch }));
  }

  private async takeOver(request: KeyedRequest, over: IdempotencyRecordEntity): Promise<Claim | null> {
    const id = this.audit.newId();
    const now = this.clock.now();
    const { rowCount } = await this.sql.prepared('idempotency_take_over', TAKE_OVER, [
      request.agentId,
      request.key,
      over.actionId,
      over.claimId,
      request.hash,
      request.method,
      id,
      now,
      new Date(now.getTime() + IDEMPOTENCY_TTL_HOURS * HOUR_MS),
    ]);
    return rowCount === 1 ? { id, recorded: false } : null;
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
      const claim = await this.takeOver(request, record);
      return claim && { kind: 'claimed', claim };
    }
    if (record.requestHash !== request.hash) throw errors.keyReused();
    if (status !== 'EXECUTED') return { kind: 'held', action };
    return { kind: 'replay', via: 'executed-approved', answer: storedAnswer(action) };
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
      // Bound to an action, or answered, since it was found to be stale: then it is nobody's to settle.
      const open: unknown[] = await tx.query(STILL_OPEN, [record.agentId, record.key, record.claimId]);
      if (open.length === 0) return;
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
    if (answer.body.length <= BATCHED_BODY_MAX_BYTES) {
      await this.completions.add({ agentId, key, claimId, answer });
    } else {
      const values = [agentId, key, claimId, this.clock.now(), ...toColumns(answer)];
      await this.sql.prepared('idempotency_complete', COMPLETE, values);
    }
  }

  private async completeBatch(batch: Completion[]): Promise<void[]> {
    const given = batch.map(({ agentId, key, claimId, answer }) => ({
      agent_id: agentId,
      key,
      claim_id: claimId,
      from_upstream: answer.fromUpstream,
      status: answer.status,
      headers: answer.headers,
      body: answer.body.toString('base64'),
    }));
    await this.sql.planned(COMPLETE_BATCH, [JSON.stringify(given), this.clock.now()]);
    return batch.map(() => undefined);
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
