import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { IDEMPOTENCY_TTL_HOURS } from '#contracts';
import { IdempotencyRecordEntity, inTransaction } from '#database';
import type { AgentView } from '../agents/agent-directory.js';
import { unknownOutcome } from '../egress/error-answer.js';
import { AuditLog } from '../audit/audit-log.js';
import { STALE_CLAIM_MS } from '../platform/claim-time.js';
import { RiskConfig } from '../platform/config.js';
import { isRepeatableRequest } from '../request-reading/repeatable-request.js';
import { answerColumns, COMPLETE, PURGE, STILL_OPEN } from './idempotency-statements.js';

/**
 * Settles claims that a crash has left, and deletes expired keys.
 * See docs/reference/idempotency.md#stale-claims.
 */
@Injectable()
export class IdempotencySettlement {
  /** At this age, a claim belongs to a process that is gone. */
  readonly staleMs: number;

  constructor(
    private readonly source: DataSource,
    private readonly audit: AuditLog,
    risk: RiskConfig,
  ) {
    this.staleMs = STALE_CLAIM_MS + risk.llmTimeoutMs;
  }

  /** Settles the claims that a crash has left. @returns how many */
  async settleStale(): Promise<number> {
    const stale: (IdempotencyRecordEntity & { workspaceId: number; agentName: string })[] = await this.source.query(
      `SELECT r.agent_id AS "agentId", r.key, r.claim_id AS "claimId", r.method, a.workspace_id AS "workspaceId",
              a.name AS "agentName"
       FROM idempotency_records r JOIN agents a ON a.id = r.agent_id
       WHERE r.status = 'processing' AND r.action_id IS NULL AND r.created_at < now() - make_interval(secs => $1) LIMIT 500`,
      [this.staleMs / 1000],
    );
    for (const record of stale) {
      await this.settle(record, { id: record.agentId, workspaceId: record.workspaceId, name: record.agentName });
    }
    return stale.length;
  }

  /** Deletes expired keys. @returns how many */
  async purge(): Promise<number> {
    const [, count]: [unknown, number] = await this.source.query(PURGE, [IDEMPOTENCY_TTL_HOURS]);
    return count;
  }

  /**
   * Settles one claim. If the audit record shows that the request was never sent, the key is freed. Otherwise it is
   * treated like a request without an answer.
   */
  async settle(
    record: Pick<IdempotencyRecordEntity, 'agentId' | 'key' | 'claimId' | 'method'>,
    agent: Pick<AgentView, 'id' | 'workspaceId' | 'name'>,
    targetUrl?: string,
  ): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      // The claim may have been bound to an action or answered since it was found. Then there is nothing to settle.
      const open: unknown[] = await tx.query(STILL_OPEN, [record.agentId, record.key, record.claimId]);
      if (open.length === 0) return;
      const nothingSent = await this.audit.abandon(
        tx,
        this.audit.newRecord('abandoned', {
          id: record.claimId,
          agent,
          call: { method: record.method, targetUrl },
          reason: 'The gateway stopped before it sent the request',
        }),
      );
      const { agentId, key, claimId, method } = record;
      const [{ url, serviceId }]: { url: string; serviceId: number | null }[] = await tx.query(
        'SELECT url, service_id AS "serviceId" FROM audit_records WHERE id = $1',
        [claimId],
      );
      // Its headers and body are not stored.
      if (nothingSent || isRepeatableRequest({ method, targetUrl: url, headers: {}, body: null })) {
        await tx.update(IdempotencyRecordEntity, { agentId, key, claimId, status: 'processing' }, { status: 'failed' });
        return;
      }
      await tx.query(COMPLETE, [agentId, key, claimId, serviceId, ...answerColumns(unknownOutcome(url))]);
    });
  }
}
