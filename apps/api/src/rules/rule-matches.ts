import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RuleMatch } from '#contracts';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { findService } from '../service-view/stored-service.js';

/** A rule that matches each request is written this often at most. */
const SAVE_INTERVAL_MS = 1000;

/**
 * A rule that is being deleted is skipped, so that this waits for no deletion. The ids are sorted, so that two instances
 * don't block each other.
 */
const SAVE = `
  INSERT INTO risk_rule_matches (rule_id, since, last_at)
  SELECT id, created_at, $2 FROM (
    SELECT id, created_at FROM risk_rules WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE SKIP LOCKED) r
  ON CONFLICT (rule_id) DO UPDATE SET last_at = greatest(risk_rule_matches.last_at, excluded.last_at)`;

const LIST = `
  SELECT r.id AS "ruleId", m.last_at AS "lastMatchedAt", coalesce(m.since, r.created_at) AS since
  FROM risk_rules r LEFT JOIN risk_rule_matches m ON m.rule_id = r.id WHERE r.service_id = $1 ORDER BY r.id`;

/** Remembers when each rule last matched a request, so that people find the rules that nothing needs. */
@Injectable()
export class RuleMatches {
  private readonly noted = new Set<number>();
  private isWaiting = false;
  private savedAtMs = -SAVE_INTERVAL_MS;

  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {}

  /** Remembers in the background that these rules matched now. */
  note(ruleIds: readonly number[]): void {
    if (ruleIds.length === 0) return;
    for (const id of ruleIds) this.noted.add(id);
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.background.run('rules last matched', () => this.save());
  }

  /** @throws ApiError 404 */
  async list(workspaceId: number, serviceId: number): Promise<RuleMatch[]> {
    await findService(this.source.manager, workspaceId, serviceId);
    const rows: { ruleId: number; lastMatchedAt: Date | null; since: Date }[] = await this.source.query(LIST, [
      serviceId,
    ]);
    return rows.map(({ ruleId, lastMatchedAt, since }) => ({
      ruleId,
      lastMatchedAt: lastMatchedAt?.toISOString() ?? null,
      since: since.toISOString(),
    }));
  }

  private async save(): Promise<void> {
    const waitMs = this.savedAtMs + SAVE_INTERVAL_MS - this.clock.monotonicMs();
    if (waitMs > 0) await delay(waitMs);
    this.isWaiting = false;
    const ids = [...this.noted];
    this.noted.clear();
    this.savedAtMs = this.clock.monotonicMs();
    try {
      await this.source.query(SAVE, [ids, this.clock.now()]);
    } catch (error) {
      // The next match saves them too. Otherwise a rule that matches rarely would look unused.
      for (const id of ids) this.noted.add(id);
      throw error;
    }
  }
}
