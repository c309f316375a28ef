import { Injectable } from '@nestjs/common';
import type { ModelStatus } from '#contracts/health';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { withoutSecrets } from '../platform/without-secrets.js';
import type { ModelFailure } from './model-answer.js';

/** Calls whose durations are remembered. */
const WINDOW = 200;

/** Counts how the risk model has answered this process, for the status page. */
@Injectable()
export class ModelHealth {
  private calls = 0;
  private failures = 0;
  private timeouts = 0;
  private lastSuccessAt: Date | null = null;
  private lastFailureAt: Date | null = null;
  private lastFailure: string | null = null;
  /** A ring: call n is at n modulo its size. */
  private readonly durations: number[] = [];

  constructor(
    private readonly config: RiskConfig,
    private readonly clock: Clock,
  ) {}

  answered(durationMs: number): void {
    this.count(durationMs);
    this.lastSuccessAt = this.clock.now();
  }

  failed(durationMs: number, failure: ModelFailure): void {
    this.count(durationMs);
    this.failures += 1;
    if (failure.kind === 'timeout') this.timeouts += 1;
    this.lastFailureAt = this.clock.now();
    this.lastFailure = failure.reason;
  }

  /** Timeouts count among the failures too. */
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
