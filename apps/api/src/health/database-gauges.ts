import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IdempotencySettlement } from '../idempotency/idempotency-settlement.js';
import { MetricsPage } from '../observability/metrics-page.js';
import { Metrics, type DatabaseReading } from '../observability/metrics.js';
import { STALE_CLAIM_MS } from '../platform/claim-time.js';
import { Clock } from '../platform/clock.js';
import { SqlPool } from '../platform/fast-lane/sql-pool.js';
import { isDatabaseUnavailable } from '../platform/http/database-unavailable.js';
import { Log } from '../platform/logging.js';

/** Nobody needs to know how much more waits. */
const DEPTH_MAX = 100_000;

/** SQL: how many rows wait, and how long the first of them has been due. @param rows has the column `due_at` */
const waiting = (rows: string): string =>
  `(SELECT json_build_object('depth', count(*), 'oldestSeconds', greatest(0, coalesce(extract(epoch FROM now() - min(due_at)), 0)))
    FROM (${rows} LIMIT ${DEPTH_MAX}) waiting)`;

const pending = (table: string): string =>
  waiting(`SELECT next_attempt_at AS due_at FROM ${table} WHERE state = 'pending'`);

/** $1 and $2: the age in seconds at which a claim of a key and of an action is stale. */
const READ = `
  SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs",
    (SELECT json_build_object('pending', count(*) FILTER (WHERE status = 'PENDING'), 'approved', count(*) FILTER (WHERE status = 'APPROVED'))
     FROM actions WHERE status IN ('PENDING', 'APPROVED')) AS open,
    ${pending('callback_deliveries')} AS callbacks,
    ${pending('channel_deliveries')} AS channels,
    ${pending('invitation_mails')} AS mails,
    ${waiting(`
      SELECT created_at + make_interval(secs => $1) AS due_at FROM idempotency_records
      WHERE status = 'processing' AND action_id IS NULL AND created_at < now() - make_interval(secs => $1)
      UNION ALL
      SELECT claimed_at + make_interval(secs => $2) FROM actions
      WHERE status = 'APPROVED' AND claim_id IS NOT NULL AND claimed_at < now() - make_interval(secs => $2)`)} AS settlement`;

type Row = DatabaseReading['queues'] & { nowMs: number; open: DatabaseReading['open'] };

/** Reads from the database what the metrics say about all instances together. */
@Injectable()
export class DatabaseGauges implements OnModuleInit {
  /** null: the database has not answered since. */
  latest: DatabaseReading | null = null;

  constructor(
    private readonly sql: SqlPool,
    private readonly metrics: Metrics,
    private readonly page: MetricsPage,
    private readonly settlement: IdempotencySettlement,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.page.readBefore(() => this.read());
  }

  private async read(): Promise<void> {
    this.metrics.poolHas(this.sql.connections());
    try {
      const startMs = this.clock.monotonicMs();
      const { rows } = await this.sql.prepared<Row>('database_gauges', READ, [
        this.settlement.staleMs / 1000,
        STALE_CLAIM_MS / 1000,
      ]);
      const [{ nowMs, open, ...queues }] = rows;
      // The database looked at its clock about half way.
      const offsetMs = this.clock.nowMs() - (this.clock.monotonicMs() - startMs) / 2 - nowMs;
      this.latest = { open, queues, clockOffsetSeconds: offsetMs / 1000 };
      this.metrics.databaseRead(this.latest);
    } catch (err) {
      this.latest = null;
      if (!isDatabaseUnavailable(err)) this.log.error({ err }, 'the metrics of the database could not be read');
      this.metrics.databaseRead(null);
    }
  }
}
