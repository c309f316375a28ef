import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import type { ModelFailure } from './model-answer.js';
import { ModelHealth, type ModelWatcher } from './model-health.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A single failure, or a burst within a minute, is not an outage. */
const FAILURES_MIN = 3;
const LASTS_MIN_MS = MINUTE_MS;
/** Outages less than this apart count as one. Another process may have reported the outage already. */
const CALM = `interval '10 minutes'`;

/**
 * Of all processes, one changes `began_at`: once per outage, and once more after each day that the outage lasts. A
 * trigger then notifies people.
 */
const REPORT = `
  INSERT INTO model_outages AS o (id, began_at, reason) VALUES (1, now(), $1)
  ON CONFLICT (id) DO UPDATE SET ended_at = NULL, began_at = now(), reason = excluded.reason
  WHERE o.ended_at < now() - ${CALM} OR o.began_at < now() - interval '1 day'`;
const GOES_ON = 'UPDATE model_outages SET ended_at = NULL WHERE ended_at IS NOT NULL';
const END = 'UPDATE model_outages SET ended_at = now() WHERE ended_at IS NULL';

/** Notices when the risk model fails for a while, so that people are notified (docs/notifications.md#events). */
@Injectable()
export class ModelOutages implements ModelWatcher {
  private failures = 0;
  private firstFailureMs = 0;
  private reportedMs: number | null = null;
  /** When this process last reported that the model answers. Another process may have reported an outage since. */
  private endedMs: number | null = null;

  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
    health: ModelHealth,
  ) {
    health.watch(this);
  }

  answered(): void {
    const nowMs = this.clock.nowMs();
    this.failures = 0;
    this.reportedMs = null;
    if (this.endedMs !== null && nowMs - this.endedMs < MINUTE_MS) return;
    this.endedMs = nowMs;
    this.background.run('end of a model outage', () => this.source.query(END));
  }

  failed({ kind, reason }: ModelFailure): void {
    // A refusal is caused by the request, not by the model.
    if (kind === 'refusal') return;
    const nowMs = this.clock.nowMs();
    if (this.failures === 0) this.firstFailureMs = nowMs;
    this.failures += 1;
    if (this.failures < FAILURES_MIN || nowMs - this.firstFailureMs < LASTS_MIN_MS) return;
    if (this.reportedMs !== null && nowMs - this.reportedMs < DAY_MS) return;
    this.reportedMs = nowMs;
    this.endedMs = null;
    this.background.run('model outage', () => this.report(reason));
  }

  /** Since when, at least, the model fails, for all processes. Null: it answers. An outage of days is reported each day. */
  async since(): Promise<Date | null> {
    const rows: { since: Date }[] = await this.source.query(
      'SELECT began_at AS since FROM model_outages WHERE ended_at IS NULL',
    );
    return rows[0]?.since ?? null;
  }

  private async report(reason: string): Promise<void> {
    const reported: unknown[] = await this.source.query(`${REPORT} RETURNING id`, [reason]);
    if (reported.length === 0) await this.source.query(GOES_ON);
  }
}
