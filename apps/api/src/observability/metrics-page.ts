import { hash, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { MetricsConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { Metrics } from './metrics.js';

/** The database is asked at most this often, however often the page is read. */
const READ_EVERY_MS = 10_000;
/** The page does not wait longer for the database. */
const READ_WITHIN_MS = 1000;

/** The text of `GET /metrics`. It comes while the database is away, too. */
@Injectable()
export class MetricsPage {
  private readAtMs = -Infinity;
  private reading: Promise<void> = Promise.resolve();
  private read: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly config: MetricsConfig,
  ) {}

  /** @param read asks the database, and never fails */
  readBefore(read: () => Promise<void>): void {
    this.read = read;
  }

  /** @throws ApiError 401 */
  assertAllowed(authorization: string | undefined): void {
    if (this.config.token === null || this.hasToken(authorization)) return;
    throw authorization === undefined ? errors.missingAuthorization() : errors.invalidToken();
  }

  /** Whether the header has `METRICS_TOKEN`. */
  hasToken(authorization: string | undefined): boolean {
    const given = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (given === undefined || this.config.token === null) return false;
    return timingSafeEqual(digest(given), digest(this.config.token));
  }

  get contentType(): string {
    return this.metrics.contentType;
  }

  async text(): Promise<string> {
    await this.refresh();
    return this.metrics.text();
  }

  /** Asks the database, unless it was asked a moment ago. Never fails. */
  async refresh(): Promise<void> {
    if (this.clock.monotonicMs() - this.readAtMs >= READ_EVERY_MS) {
      this.readAtMs = this.clock.monotonicMs();
      this.metrics.readLoop();
      this.reading = this.read();
    }
    const late = await Promise.race([this.reading, delay(READ_WITHIN_MS, 'late' as const, { ref: false })]);
    if (late === 'late') this.metrics.databaseRead(null);
  }
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
