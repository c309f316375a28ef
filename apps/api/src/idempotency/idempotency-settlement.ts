import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { IDEMPOTENCY_TTL_HOURS, UPSTREAM_TIMEOUT_MS } from '#contracts';
import { IdempotencyRecordEntity, inTransaction } from '#database';
import type { AgentView } from '../agents/agent-directory.js';
import { isRepeatable } from '../egress/repeatable.js';
import { unknownOutcome } from '../egress/error-answer.js';
import { AuditLog } from '../audit/audit-log.js';
import { RiskConfig } from '../platform/config.js';
import { answerColumns, COMPLETE, PURGE, STILL_OPEN } from './idempotency-statements.js';

const MARGIN_MS = 10_000;

/**
 * What becomes of keys that nobody comes back for: claims that a crash has left, and keys whose time is over. See
 * docs/reference/idempotency.md#stale-claims.
 */
@Injectable()
export class IdempotencySettlement {
  /** A claim of this age belongs to a process that is gone: the model and the upstream have both had their time. */
  readonly staleMs: number;

  constructor(
    private readonly source: DataSource,
    private readonly audit: AuditLog,
    risk: RiskConfig,
  ) {
    this.staleMs = UPSTREAM_TIMEOUT_MS + risk.llmTimeoutMs + MARGIN_MS;
  }

  /** Settles the claims that a crash has left. @returns how many */
  async settleStale(): Promise<number> {
    const stale: (IdempotencyRecordEntity & { userId: number; agentName: string })[] = await this.source.query(
      `SELECT r.agent_id AS "agentId", r.key, r.claim_id AS "claimId", r.method, a.user_id AS "userId",
              a.name AS "agentName"
       FROM idempotency_records r JOIN agents a ON a.id = r.agent_id
       WHERE r.status = 'processing' AND r.action_id IS NULL AND r.created_at < now() - make_interval(secs => $1) LIMIT 500`,
      [this.staleMs / 1000],
    );
    for (const record of stale) {
      await this.settle(record, { id: record.agentId, userId: record.userId, name: record.agentName });
    }
    return stale.length;
  }

  /** Deletes the keys whose time is over. @returns how many */
  async purge(): Promise<number> {
    const [, count]: [unknown, number] = await this.source.query(PURGE, [IDEMPOTENCY_TTL_HOURS]);
    return count;
  }

  /** Settles one claim: by the rule for a request without an answer, unless the audit record shows that it was never sent. */
  async settle(
    record: Pick<IdempotencyRecordEntity, 'agentId' | 'key' | 'claimId' | 'method'>,
    agent: Pick<AgentView, 'id' | 'userId' | 'name'>,
    targetUrl?: string,
  ): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      // Bound to an action, or answered, since it was found to be stale: then it is nobody's to settle.
      const open: unknown[] = await tx.query(STILL_OPEN, [record.agentId, record.key, record.claimId]);
      if (open.length === 0) return;
      const nothingSent = await this.audit.abandon(
        tx,
        this.audit.recordOf('abandoned', {
          id: record.claimId,
          agent,
          call: { method: record.method, targetUrl },
          reason: 'The gateway stopped before it sent the request',
        }),
      );
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
      const [{ url, serviceId }]: { url: string; serviceId: number | null }[] = await tx.query(
        'SELECT url, service_id AS "serviceId" FROM audit_records WHERE id = $1',
        [record.claimId],
      );
      const { agentId, key, claimId } = record;
      await tx.query(COMPLETE, [agentId, key, claimId, serviceId, ...answerColumns(unknownOutcome(url))]);
    });
  }
}
