import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import type { AuditOutcome, HttpMethod } from '#contracts';
import { AuditRecordEntity } from '#database';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { GroupCommit } from '../platform/group-commit.js';
import { retry } from '../platform/retry.js';
import { SqlPool } from '../platform/fast-lane/sql-pool.js';
import { uuidV7 } from '../platform/uuid-v7.js';
import {
  AUDIT_COLUMNS,
  insertRecords,
  toRow,
  type AuditResult,
  type NewAuditRecord,
  type Party,
  type RecordedRequest,
} from './audit-record.js';

/** Who makes a change, and the workspace that it is made in. */
export interface ChangeActor {
  /** Null: an agent, or the gateway itself. */
  id: number | null;
  name: string;
  workspaceId: number;
  /** The personal access token with which a program made the change for the person. */
  token?: { name: string } | null;
}

/** The gateway as the actor, for changes that nobody asked for. */
export const gatewayIn = (workspaceId: number): ChangeActor => ({ id: null, name: 'Agent Gateway', workspaceId });

/** A change of what people configure, recorded in the transaction that makes it. */
export interface Change {
  actor: ChangeActor;
  /** What happened, as `<thing>.<verb>`. */
  reason: string;
  service?: Party;
  agent?: Party;
  actionId?: string;
  /** For a decision: the request that it is about. The record is kept longer than the action. */
  request?: Pick<NewAuditRecord, 'method' | 'url' | 'intent' | 'summary' | 'riskScore'>;
  /** Must not contain secrets. */
  details?: Record<string, unknown>;
  requestId?: string;
}

/** What was sent, or may have been. */
export interface SentRequests {
  /** The newest record that was read. Null: there is none. */
  readTo: string | null;
  sent: { method: HttpMethod; url: string }[];
}

const INSERT = `
  INSERT INTO audit_records (${AUDIT_COLUMNS})
  SELECT ${AUDIT_COLUMNS} FROM json_populate_recordset(NULL::audit_records, $1::json) ON CONFLICT (id) DO NOTHING`;

/** $2 and $3: the first and the last id. They leave few partitions to look into. */
const SETTLE = `
  UPDATE audit_records a
  SET status = r.status, upstream_status = r.upstream_status, duration_ms = r.duration_ms,
      response_bytes = r.response_bytes, error = r.error
  FROM json_populate_recordset(NULL::audit_records, $1::json) r WHERE a.id = r.id AND a.id BETWEEN $2 AND $3`;

const SENT = `
  WITH latest AS (SELECT id, service_id, outcome, method, url FROM audit_records
    WHERE agent_id = $1 AND ($3::uuid IS NULL OR id > $3) ORDER BY id DESC LIMIT $4)
  SELECT (SELECT id FROM latest ORDER BY id DESC LIMIT 1) AS "readTo", coalesce((SELECT json_agg(sent) FROM
    (SELECT DISTINCT method, url FROM latest
     WHERE service_id = $2 AND outcome IN ('forwarded', 'executed') AND method IS NOT NULL AND url IS NOT NULL) sent), '[]') AS sent`;

const LOST = 'The gateway stopped before the answer came';
const SETTLE_ATTEMPTS = 5;
const SETTLE_RETRY_MS = 1000;
/** Results share a statement by the dozen, since no request waits for them. */
const SETTLE_COLLECT_MS = 25;
const SETTLE_BATCH = 500;

/**
 * The record of what happened. Nothing is sent to an upstream before its record is durable
 * (docs/reference/audit.md#before-sending).
 */
@Injectable()
export class AuditLog {
  private readonly writes = new GroupCommit<NewAuditRecord, void>((batch) => this.insertBatch(batch));
  private results: AuditResult[] = [];

  constructor(
    private readonly sql: SqlPool,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {}

  newId(): string {
    return uuidV7(this.clock.nowMs());
  }

  /** The record of a request of an agent, with the current time. */
  newRecord(outcome: AuditOutcome, request: RecordedRequest): NewAuditRecord {
    const { agent, call, service, risk } = request;
    return {
      id: request.id ?? this.newId(),
      at: this.clock.now(),
      kind: request.kind ?? 'request',
      outcome,
      workspaceId: agent.workspaceId,
      requestId: call.requestId,
      agent,
      service: service ?? undefined,
      method: call.method,
      url: call.targetUrl,
      intent: call.intent,
      summary: request.summary,
      riskScore: risk?.score,
      riskExplanation: risk?.explanation,
      riskSource: risk?.source,
      observed: risk?.observed,
      reason: request.reason,
      actionId: request.actionId,
      status: request.status,
    };
  }

  /** Writes a record that depends on nothing. That of a request which is about to be sent: see `RequestRecords`. */
  write(record: NewAuditRecord): Promise<void> {
    return this.writes.add(record);
  }

  /** Adds the result of a sent request later. No request waits for it. */
  settle(result: AuditResult): void {
    if (this.results.push(result) === 1) {
      this.background.run('audit results', async () => {
        await delay(SETTLE_COLLECT_MS);
        const results = this.results;
        this.results = [];
        for (let start = 0; start < results.length; start += SETTLE_BATCH) {
          await this.settleBatch(results.slice(start, start + SETTLE_BATCH));
        }
      });
    }
  }

  /** Writes a record in the caller's transaction. */
  writeIn(tx: EntityManager, record: NewAuditRecord): Promise<void> {
    return insertRecords(tx, [record]);
  }

  /** Writes the record of a change in the transaction that makes it. */
  async recordChange(tx: EntityManager, change: Change): Promise<void> {
    const { actor, request, ...rest } = change;
    await this.writeIn(tx, {
      ...request,
      ...rest,
      id: this.newId(),
      at: this.clock.now(),
      kind: 'change',
      outcome: 'changed',
      workspaceId: actor.workspaceId,
      actor: { id: actor.id, name: actor.name },
      details: actor.token ? { ...rest.details, token: actor.token.name } : rest.details,
    });
  }

  /**
   * Gives up a request that has no record, by taking the record's id. A process that still has the request can't write
   * the record any more, and so can't send. See docs/reference/audit.md#fence.
   * @returns whether nothing was sent; false: the record exists, so the request may have been sent
   */
  async abandon(tx: EntityManager, record: NewAuditRecord): Promise<boolean> {
    const rows: unknown[] = await tx.query(
      `INSERT INTO audit_records (${AUDIT_COLUMNS}) SELECT ${AUDIT_COLUMNS} FROM json_populate_record(NULL::audit_records, $1::json)
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      [JSON.stringify(toRow(record))],
    );
    if (rows.length > 0) return true;
    await tx.update(AuditRecordEntity, { id: record.id, status: IsNull() }, { status: 502, error: LOST });
    return false;
  }

  /**
   * What was sent for an agent to a service, each method and URL once.
   * @param after only records after this one
   * @param max how many of the agent's records are read, also those about other services
   */
  async sentRequests(
    agentId: number,
    serviceId: number,
    { after, max }: { after: string | null; max: number },
  ): Promise<SentRequests> {
    const { rows } = await this.sql.planned<SentRequests>(SENT, [agentId, serviceId, after, max]);
    return rows[0];
  }

  private async insertBatch(batch: NewAuditRecord[]): Promise<void[]> {
    await this.sql.planned(INSERT, [JSON.stringify(batch.map(toRow))]);
    return batch.map(() => undefined);
  }

  private async settleBatch(results: AuditResult[]): Promise<void> {
    const rows = results.map((result) => ({
      id: result.id,
      status: result.status,
      upstream_status: result.upstreamStatus,
      duration_ms: Math.round(result.durationMs),
      response_bytes: result.responseBytes,
      error: result.error?.toWellFormed() ?? null,
    }));
    const ids = rows.map(({ id }) => id).sort();
    await retry(() => this.sql.planned(SETTLE, [JSON.stringify(rows), ids[0], ids.at(-1)]), {
      attempts: SETTLE_ATTEMPTS,
      before: (attempts) => delay(SETTLE_RETRY_MS * attempts),
    });
  }
}
