import { Injectable } from '@nestjs/common';
import type { AgentView } from '../agents/agent-directory.js';
import { AUDIT_COLUMNS, toRow, type NewAuditRecord } from '../audit/audit-record.js';
import { ApprovalsConfig } from '../platform/config.js';
import { SqlPool } from '../platform/fast-lane/sql-pool.js';
import { GroupCommit } from '../platform/group-commit.js';
import type { ServiceView } from '../service-view/service-view.js';
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

interface Waiting {
  record: NewAuditRecord;
  judged: JudgedBy;
}

/** One value of each item. Null if no item has one: PostgreSQL fills up shorter columns with NULL. */
function column<T>(batch: Waiting[], pickValue: (judged: JudgedBy) => T): (T | null)[] | null {
  const values = batch.map(({ judged }) => pickValue(judged) ?? null);
  return values.some((value) => value !== null) ? values : null;
}

/** The time of the rule that allows the request, as the driver expects it. */
export const allowedAt = (equal: EqualRequest | undefined): Date | null =>
  equal === undefined || equal.allowedAtMs === null ? null : new Date(equal.allowedAtMs);

/**
 * The conditions that must still hold when the record of a request is written.
 * @param service null if no service was resolved
 * @param until how long the token may be sent @param equal only for a request that will be forwarded
 */
export function judgedBy(
  agent: AgentView,
  service: ServiceView | null,
  until: TokenLimit = null,
  equal?: EqualRequest,
): JudgedBy {
  const connection = service?.connection ?? null;
  return {
    agentVersion: agent.version,
    serviceVersion: service === null ? null : service.version,
    token:
      connection === null || agent.renewedServiceId === service?.id ? null : { number: connection.tokenNumber, until },
    equal,
  };
}

/**
 * The records of requests that depend on how they were assessed. Such a record is written only while the assessment
 * holds, in one statement, so that no change comes between the check and the record.
 */
@Injectable()
export class RequestRecords {
  private readonly writes = new GroupCommit<Waiting, WriteState>((batch) => this.writeBatch(batch));

  constructor(
    private readonly sql: SqlPool,
    private readonly config: ApprovalsConfig,
  ) {}

  write(record: NewAuditRecord, judged: JudgedBy): Promise<WriteState> {
    return this.writes.add({ record, judged });
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
}
