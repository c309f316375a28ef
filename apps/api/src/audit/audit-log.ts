import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import type { AuditOutcome } from '#contracts';
import { AuditRecordEntity } from '#database';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { ApprovalsConfig } from '../platform/config.js';
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
import { standingDenial, type EqualRequest } from './standing-denial.js';

/**
 * `written`: durable. `stale`: the agent or the service has changed since the assessment. `denied`: an equal request
 * waits or was denied. `taken`: a record with this id exists, because the request was given up as lost; the request
 * must not be sent. Only `written` has written anything.
 */
type WriteState = 'written' | 'stale' | 'denied' | 'taken';

/**
 * The versions of agent and service that a request was assessed by. Its record is written only while they are current.
 */
export interface JudgedBy {
  agentVersion: number;
  /** Null: no service was found. */
  serviceVersion: number | null;
  /** The token that would be sent. Null: the service has no connection, or any token will do. */
  token: { number: number; until: TokenLimit } | null;
  /**
   * For a request that is about to be forwarded: its record is written only if no denial of an equal request stands.
   */
  equal?: EqualRequest;
}

/** The moment before which a token may be sent: `renewal`, when it is due; `end`, when it ends. Null: always. */
export type TokenLimit = 'renewal' | 'end' | null;

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

/**
 * SQL condition: the token with which row `row` was judged is the newest one of its service, and may still be sent. The
 * database's clock decides.
 */
export const tokenIsCurrent = (row: string): string => `(${row}.token_number IS NULL OR coalesce(
    (SELECT c.token_number = ${row}.token_number AND coalesce(clock_timestamp()
        < CASE ${row}.token_until WHEN 'renewal' THEN c.refresh_at WHEN 'end' THEN c.expires_at END, true)
     FROM connections c WHERE c.service_id = ${row}.service_id), false))`;

/**
 * One statement for a whole batch. It writes a record only under the versions that its request was assessed by. A
 * record whose agent or service is gone is stale too. No request is forwarded against a standing denial. The statement
 * compares versions without row locks: a change applies to every statement that starts after its commit. The same holds
 * for the token of a connection, so that no request is sent with an older one.
 */
const WRITE = `
  WITH given AS MATERIALIZED (
    SELECT r.*,
      (agent_version IS NULL OR coalesce(agent_version = (SELECT a.version FROM agents a WHERE a.id = r.agent_id), false))
      AND (service_version IS NULL
        OR coalesce(service_version = (SELECT s.version FROM services s WHERE s.id = r.service_id), false))
      AND ${tokenIsCurrent('r')} AS is_current,
      target_hash IS NOT NULL AND ${standingDenial('r', '$6', 'r.denial_hashes')} AS is_denied
    FROM ROWS FROM (unnest($2::bigint[], $3::bigint[], $4::text[], $5::timestamptz[], $7::bigint[], $8::text[], $9::text[]),
      json_populate_recordset(NULL::audit_records, $1::json)) AS r(agent_version, service_version, target_hash, allowed_at, token_number, token_until, denial_hashes)),
  written AS (INSERT INTO audit_records (${AUDIT_COLUMNS})
    SELECT ${AUDIT_COLUMNS} FROM given WHERE is_current AND NOT is_denied
    ON CONFLICT (id) DO NOTHING RETURNING id)
  SELECT (SELECT array_agg(id::text) FROM written) AS written,
    (SELECT array_agg(id::text) FROM given WHERE NOT is_current) AS stale,
    (SELECT array_agg(id::text) FROM given WHERE is_current AND is_denied) AS denied`;

const SETTLE = `
  UPDATE audit_records a
  SET status = r.status, upstream_status = r.upstream_status, duration_ms = r.duration_ms,
      response_bytes = r.response_bytes, error = r.error
  FROM json_populate_recordset(NULL::audit_records, $1::json) r WHERE a.id = r.id`;

const LOST = 'The gateway stopped before the answer came';
const SETTLE_ATTEMPTS = 5;
const SETTLE_RETRY_MS = 1000;
/** Results share a statement by the dozen, since no request waits for them. */
const SETTLE_COLLECT_MS = 25;
const SETTLE_BATCH = 500;

interface Waiting {
  record: NewAuditRecord;
  judged: JudgedBy | null;
}

/** One value of each item. Null if no item has one: PostgreSQL fills up shorter columns with NULL. */
function column<T>(batch: Waiting[], valueOf: (judged: JudgedBy) => T): (T | null)[] | null {
  const values = batch.map(({ judged }) => (judged && valueOf(judged)) ?? null);
  return values.some((value) => value !== null) ? values : null;
}

/** The time of the rule that allows the request, as the driver expects it. */
export const allowedAt = (equal: EqualRequest | undefined): Date | null =>
  equal === undefined || equal.allowedAtMs === null ? null : new Date(equal.allowedAtMs);

/**
 * The record of what happened. Nothing is sent to an upstream before its record is durable
 * (docs/reference/audit.md#before-sending).
 */
@Injectable()
export class AuditLog {
  private readonly writes = new GroupCommit<Waiting, WriteState>((batch) => this.writeBatch(batch));
  private results: AuditResult[] = [];

  constructor(
    private readonly sql: SqlPool,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
    private readonly config: ApprovalsConfig,
  ) {}

  newId(): string {
    return uuidV7(this.clock.nowMs());
  }

  /** The record of a request of an agent, with the current time. */
  recordOf(outcome: AuditOutcome, request: RecordedRequest): NewAuditRecord {
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
      reason: request.reason,
      actionId: request.actionId,
      status: request.status,
    };
  }

  /** @param judged null: the request was not assessed, so the record does not depend on versions */
  write(record: NewAuditRecord, judged: JudgedBy | null): Promise<WriteState> {
    return this.writes.add({ record, judged });
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

  private async writeBatch(batch: Waiting[]): Promise<WriteState[]> {
    type Ids = string[] | null;
    const { rows } = await this.sql.prepared<{ written: Ids; stale: Ids; denied: Ids }>('audit_write', WRITE, [
      JSON.stringify(batch.map(({ record }) => toRow(record))),
      column(batch, ({ agentVersion }) => agentVersion),
      column(batch, ({ serviceVersion }) => serviceVersion),
      column(batch, ({ equal }) => equal?.targetHash),
      column(batch, ({ equal }) => allowedAt(equal)),
      this.config.denialHoldsHours,
      column(batch, ({ token }) => token?.number),
      column(batch, ({ token }) => token?.until),
      column(batch, ({ equal }) => equal?.hashes?.join()),
    ]);
    const [written, stale, denied] = [rows[0].written, rows[0].stale, rows[0].denied].map((ids) => new Set(ids));
    return batch.map(({ record: { id } }) => {
      if (written.has(id)) return 'written';
      return stale.has(id) ? 'stale' : denied.has(id) ? 'denied' : 'taken';
    });
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
    await retry(() => this.sql.planned(SETTLE, [JSON.stringify(rows)]), {
      attempts: SETTLE_ATTEMPTS,
      before: (attempts) => delay(SETTLE_RETRY_MS * attempts),
    });
  }
}
