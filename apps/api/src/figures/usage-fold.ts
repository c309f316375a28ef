import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { DataSource, type EntityManager } from 'typeorm';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { firstUuidV7, momentOfUuidV7 } from '../platform/uuid-v7.js';

export const HOUR_MS = 3_600_000;
/**
 * What counts as a request. Dry runs, claims that were given up, and refused executions don't count: the request of an
 * execution was counted when it was held.
 */
export const COUNTED = `kind IN ('request', 'execution') AND outcome NOT IN ('previewed', 'abandoned')
  AND NOT (kind = 'execution' AND outcome = 'refused')`;
export const RISK_STEPS = 20;
export const RISK_STEP = `CASE WHEN kind = 'request' AND risk_score IS NOT NULL THEN least(floor(risk_score * ${RISK_STEPS}), ${RISK_STEPS - 1})::int END`;
export const OUTCOMES = ['forwarded', 'executed', 'held', 'refused'] as const;

/**
 * An id is made when its request begins. The record follows a moment later, and the result when the upstream has
 * answered. After this time both are complete, or the claim was given up.
 */
const SETTLED_MS = 15 * 60_000;
/** Short statements, as everywhere: some tenths of a second on a busy machine. */
const CHUNK = 5000;

const RUNNING = ['requests', ...OUTCOMES];
const each = (expression: (column: string) => string): string => RUNNING.map(expression).join(', ');

/**
 * $1, $2: the first id and the id after the last one. $3: the beginnings of its hours as ids. $4: the same as moments.
 */
const CHUNK_SQL = `chunk AS (
  SELECT workspace_id, agent_id, service_id, agent_name, kind, outcome, upstream_status, ${RISK_STEP} AS step,
    ($4::timestamptz[])[width_bucket(id, $3::uuid[])] AS hour
  FROM audit_records WHERE id >= $1 AND id < $2 AND workspace_id IS NOT NULL AND ${COUNTED})`;

const FOLD = `
  WITH ${CHUNK_SQL},
  counted AS (
    SELECT c.workspace_id, s.agent_id, s.service_id, c.hour, max(c.agent_name) FILTER (WHERE s.agent_id <> 0) AS name,
      count(*) AS calls, count(*) FILTER (WHERE upstream_status = 401) AS unauthorized,
      count(*) FILTER (WHERE kind = 'request') AS requests,
      ${OUTCOMES.map((outcome) => `count(*) FILTER (WHERE outcome = '${outcome}') AS ${outcome}`).join(', ')}
    FROM chunk c CROSS JOIN LATERAL (VALUES (0, 0), (c.agent_id, 0), (0, c.service_id)) s (agent_id, service_id)
    WHERE s.agent_id IS NOT NULL AND s.service_id IS NOT NULL
    GROUP BY 1, 2, 3, 4),
  running AS (
    SELECT c.workspace_id, c.agent_id, c.service_id, c.hour, c.name, c.calls, c.unauthorized,
      ${each((column) => `coalesce(t.${column}, 0) + sum(c.${column}) OVER hours AS ${column}`)}
    FROM counted c LEFT JOIN usage_totals t USING (workspace_id, agent_id, service_id)
    WINDOW hours AS (PARTITION BY c.workspace_id, c.agent_id, c.service_id ORDER BY c.hour)),
  folded AS (
    INSERT INTO usage_hours AS h (workspace_id, agent_id, service_id, hour, calls, unauthorized, ${each((column) => column)})
    SELECT workspace_id, agent_id, service_id, hour, calls, unauthorized, ${each((column) => column)} FROM running
    ON CONFLICT (workspace_id, agent_id, service_id, hour) DO UPDATE SET calls = h.calls + excluded.calls,
      unauthorized = h.unauthorized + excluded.unauthorized, ${each((column) => `${column} = excluded.${column}`)})
  INSERT INTO usage_totals AS t (workspace_id, agent_id, service_id, name, last_hour, ${each((column) => column)})
  SELECT DISTINCT ON (workspace_id, agent_id, service_id) workspace_id, agent_id, service_id, name, hour, ${each((column) => column)}
  FROM running ORDER BY workspace_id, agent_id, service_id, hour DESC
  ON CONFLICT (workspace_id, agent_id, service_id) DO UPDATE SET name = coalesce(excluded.name, t.name),
    last_hour = excluded.last_hour, ${each((column) => `${column} = excluded.${column}`)}`;

const FOLD_RISK = `
  WITH ${CHUNK_SQL},
  counted AS (
    SELECT c.workspace_id, s.agent_id, c.step, c.hour, count(*) AS requests
    FROM chunk c CROSS JOIN LATERAL (VALUES (0), (c.agent_id)) s (agent_id)
    WHERE s.agent_id IS NOT NULL AND c.step IS NOT NULL GROUP BY 1, 2, 3, 4)
  INSERT INTO usage_risk (workspace_id, agent_id, step, hour, requests)
  SELECT c.workspace_id, c.agent_id, c.step, c.hour, coalesce(b.requests, 0) + sum(c.requests) OVER hours
  FROM counted c LEFT JOIN LATERAL (
    SELECT r.requests FROM usage_risk r WHERE r.workspace_id = c.workspace_id AND r.agent_id = c.agent_id AND r.step = c.step
    ORDER BY r.hour DESC LIMIT 1) b ON true
  WINDOW hours AS (PARTITION BY c.workspace_id, c.agent_id, c.step ORDER BY c.hour)
  ON CONFLICT (workspace_id, agent_id, step, hour) DO UPDATE SET requests = excluded.requests`;

/**
 * Counts complete records into hours (ADR 0022), outside of the hot path. One instance works at a time. Each step is
 * one transaction that also moves the mark up to which it has counted, so that each record is counted exactly once.
 */
@Injectable()
export class UsageFold {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {}

  @Cron(CronExpression.EVERY_10_MINUTES)
  schedule(): void {
    this.background.run('usage', () => this.fold());
  }

  async fold(): Promise<void> {
    const end = firstUuidV7(this.clock.nowMs() - SETTLED_MS);
    while (await this.source.transaction((tx) => this.step(tx, end)));
  }

  /** @returns whether there is more to count */
  private async step(tx: EntityManager, end: string): Promise<boolean> {
    const [mark]: { folded_to: string }[] = await tx.query('SELECT folded_to FROM usage_fold FOR UPDATE SKIP LOCKED');
    // Another instance is counting, or a clock went back.
    if (!mark || end <= mark.folded_to) return false;
    const [{ first, next }]: { first: string | null; next: string | null }[] = await tx.query(
      `SELECT (SELECT id FROM audit_records WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 1) AS first,
              (SELECT id FROM audit_records WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 1 OFFSET ${CHUNK}) AS next`,
      [mark.folded_to, end],
    );
    if (first !== null) {
      const hours: number[] = [];
      const lastMs = momentOfUuidV7(next ?? end);
      for (let ms = floorHour(momentOfUuidV7(first)); ms <= lastMs; ms += HOUR_MS) hours.push(ms);
      const values = [first, next ?? end, hours.map(firstUuidV7), hours.map((ms) => new Date(ms))];
      await tx.query(FOLD_RISK, values);
      await tx.query(FOLD, values);
    }
    await tx.query('UPDATE usage_fold SET folded_to = $1', [next ?? end]);
    return next !== null;
  }
}

export const floorHour = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;
