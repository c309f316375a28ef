import { Injectable } from '@nestjs/common';
import type { ModelStatus } from '#contracts/health';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { withoutSecrets } from '../platform/without-secrets.js';
import type { ModelFailure } from './model-answer.js';

/** Number of calls whose durations are stored. */
const WINDOW = 200;

export interface ModelWatcher {
  answered(): void;
  failed(failure: ModelFailure): void;
}

/** Counts this process's calls of the risk model and their results, for the status page. */
@Injectable()
export class ModelHealth {
  private calls = 0;
  private failures = 0;
  private timeouts = 0;
  private lastSuccessAt: Date | null = null;
  private lastFailureAt: Date | null = null;
  private lastFailure: string | null = null;
  /** A ring buffer: call n is at index n modulo its size. */
  private readonly durations: number[] = [];

  private readonly watchers: ModelWatcher[] = [];

  constructor(
    private readonly config: RiskConfig,
    private readonly clock: Clock,
  ) {}

  watch(watcher: ModelWatcher): void {
    this.watchers.push(watcher);
  }

  answered(durationMs: number): void {
    this.count(durationMs);
    this.lastSuccessAt = this.clock.now();
    for (const watcher of this.watchers) watcher.answered();
  }

  failed(durationMs: number, failure: ModelFailure): void {
    this.count(durationMs);
    this.failures += 1;
    if (failure.kind === 'timeout') this.timeouts += 1;
    this.lastFailureAt = this.clock.now();
    this.lastFailure = failure.reason;
    for (const watcher of this.watchers) watcher.failed(failure);
  }

  /** Timeouts also count as failures. */
  status(): ModelStatus {
    return {
      baseUrl: withoutSecrets(this.config.llmBaseUrl),
      model: this.config.llmModel,
      lastSuccessAt: this.lastSuccessAt?.toISOString() ?? null,
      lastFailureAt: this.lastFailureAt?.toISOString() ?? null,
      lastFailure: this.lastFailure,
      calls: this.calls,
      failures: this.failures,
      timeouts: this.timeouts,
      p95Ms: this.p95Ms(),
    };
  }

  private count(durationMs: number): void {
    this.durations[this.calls % WINDOW] = durationMs;
    this.calls += 1;
  }

  private p95Ms(): number | null {
    if (this.durations.length === 0) return null;
    const sorted = [...this.durations].sort((a, b) => a - b);
    return Math.round(sorted[Math.ceil(sorted.length * 0.95) - 1]);
  }
}
