import { Injectable } from '@nestjs/common';
import { isUniqueViolation } from '#database';
import type { AgentView } from '../agents/agent-directory.js';
import { AUDIT_COLUMNS, toRow, type NewAuditRecord } from '../audit/audit-record.js';
import { ApprovalsConfig } from '../platform/config.js';
import { retry } from '../platform/retry.js';
import { SqlPool } from '../platform/fast-lane/sql-pool.js';
import { GroupCommit } from '../platform/group-commit.js';
import {
  countingSql,
  toCounted,
  toNeeds,
  type Counted,
  type CountedRow,
  type RequestToCount,
} from '../risk/limits/counting.js';
import type { LimitState } from '../risk/limits/limit-to-count.js';
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
const GIVEN = `
  WITH given AS MATERIALIZED (
    SELECT r.*,
      (agent_version IS NULL OR coalesce(agent_version = (SELECT a.version FROM agents a WHERE a.id = r.agent_id), false))
      AND (service_version IS NULL
        OR coalesce(service_version = (SELECT s.version FROM services s WHERE s.id = r.service_id), false))
      AND ${tokenIsCurrent('r')} AS is_current,
      target_hash IS NOT NULL AND ${standingDenial('r', '$6', 'r.denial_hashes')} AS is_denied
    FROM ROWS FROM (unnest($2::bigint[], $3::bigint[], $4::text[], $5::timestamptz[], $7::bigint[], $8::text[], $9::text[]),
      json_populate_recordset(NULL::audit_records, $1::json)) AS r(agent_version, service_version, target_hash, allowed_at, token_number, token_until, denial_hashes))`;

const STATES = `(SELECT array_agg(id::text) FROM written) AS written,
    (SELECT array_agg(id::text) FROM given WHERE NOT is_current) AS stale,
    (SELECT array_agg(id::text) FROM given WHERE is_current AND is_denied) AS denied`;

const WRITE = `${GIVEN},
  written AS (INSERT INTO audit_records (${AUDIT_COLUMNS})
    SELECT ${AUDIT_COLUMNS} FROM given WHERE is_current AND NOT is_denied
    ON CONFLICT (id) DO NOTHING RETURNING id)
  SELECT ${STATES}`;

/**
 * The same for requests with limits: it counts each one, and writes the record of those that fit. It fails where a request
 * is given up as lost after it was counted, so that nothing is counted without its record. The next attempt leaves it out.
 */
const WRITE_COUNTED = `${GIVEN},
  counted AS MATERIALIZED (${countingSql('given WHERE is_current AND NOT is_denied', '$10')}),
  written AS (INSERT INTO audit_records (${AUDIT_COLUMNS})
    SELECT ${AUDIT_COLUMNS} FROM given WHERE id IN (SELECT c.record_id FROM counted c WHERE c.counted) RETURNING id)
  SELECT ${STATES}, (SELECT json_agg(c) FROM counted c) AS counted`;

interface Waiting {
  record: NewAuditRecord;
  judged: JudgedBy;
}

type WaitingToCount = Waiting & { toCount: RequestToCount };

/** `full`: the request does not fit into a limit. Nothing was counted or written. */
export interface CountedWrite {
  state: WriteState | 'full';
  /** The limits, as the request found them. Empty, if it was not tried to count it. */
  limits: LimitState[];
}

type Ids = string[] | null;
interface StatesRow {
  written: Ids;
  stale: Ids;
  denied: Ids;
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
  /** Of their own, because they may wait for a counter that another instance has locked. Other requests never wait for it. */
  private readonly counts = new GroupCommit<WaitingToCount, CountedWrite>((batch) => this.countBatch(batch));

  constructor(
    private readonly sql: SqlPool,
    private readonly config: ApprovalsConfig,
  ) {}

  write(record: NewAuditRecord, judged: JudgedBy): Promise<WriteState> {
    return this.writes.add({ record, judged });
  }

  /** The same for a request that counts against limits: writes the record and counts in one statement, or neither. */
  writeCounted(record: NewAuditRecord, judged: JudgedBy, toCount: RequestToCount): Promise<CountedWrite> {
    return this.counts.add({ record, judged, toCount });
  }

  private async writeBatch(batch: Waiting[]): Promise<WriteState[]> {
    const { rows } = await this.sql.prepared<StatesRow>('audit_write', WRITE, this.parameters(batch));
    return statesOf(rows[0], batch);
  }

  private countBatch(batch: WaitingToCount[]): Promise<CountedWrite[]> {
    return retry(() => this.countOnce(batch), { attempts: 5, when: isUniqueViolation });
  }

  private async countOnce(batch: WaitingToCount[]): Promise<CountedWrite[]> {
    const requests = batch.map(({ toCount }) => toCount);
    const { rows } = await this.sql.prepared<StatesRow & { counted: CountedRow[] | null }>(
      'audit_write_counted',
      WRITE_COUNTED,
      [...this.parameters(batch), toNeeds(requests)],
    );
    const counted = toCounted(rows[0].counted, requests);
    return statesOf(rows[0], batch).map((state, index) => outcomeOf(state, counted.get(batch[index].record.id)));
  }

  private parameters(batch: Waiting[]): unknown[] {
    return [
      JSON.stringify(batch.map(({ record }) => toRow(record))),
      column(batch, ({ agentVersion }) => agentVersion),
      column(batch, ({ serviceVersion }) => serviceVersion),
      column(batch, ({ equal }) => equal?.targetHash),
      column(batch, ({ equal }) => allowedAt(equal)),
      this.config.denialHoldsHours,
      column(batch, ({ token }) => token?.number),
      column(batch, ({ token }) => token?.until),
      column(batch, ({ equal }) => equal?.hashes?.join()),
    ];
  }
}

function statesOf(row: StatesRow, batch: Waiting[]): WriteState[] {
  const [written, stale, denied] = [row.written, row.stale, row.denied].map((ids) => new Set(ids));
  return batch.map(({ record: { id } }) => {
    if (written.has(id)) return 'written';
    return stale.has(id) ? 'stale' : denied.has(id) ? 'denied' : 'taken';
  });
}

/** A request that was not written may be stale since the statement began, or may not fit. */
function outcomeOf(state: WriteState, counted: Counted | undefined): CountedWrite {
  if (counted === undefined) return { state, limits: [] };
  return { state: counted.state === 'counted' ? state : counted.state, limits: counted.limits };
}
