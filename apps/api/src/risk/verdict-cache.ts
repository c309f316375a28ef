import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import type { ModelAnswer } from './model-answer.js';

/** Beyond so many the one longest unused goes: about 5 MB at most. */
const CAPACITY = 5_000;

/** Keeps what the model said for `RISK_CACHE_SECONDS`, and asks it once for requests that come at the same time. */
@Injectable()
export class VerdictCache {
  /** In order of last use. */
  private readonly kept = new Map<string, { answer: ModelAnswer; untilMs: number }>();
  private readonly asking = new Map<string, Promise<ModelAnswer>>();
  private readonly ttlMs: number;

  constructor(
    config: RiskConfig,
    private readonly clock: Clock,
  ) {
    this.ttlMs = config.cacheSeconds * 1000;
  }

  get enabled(): boolean {
    return this.ttlMs > 0;
  }

  get size(): number {
    return this.kept.size;
  }

  get(key: string): ModelAnswer | null {
    const entry = this.kept.get(key);
    if (!entry) return null;
    this.kept.delete(key);
    if (this.clock.monotonicMs() >= entry.untilMs) return null;
    this.kept.set(key, entry);
    return entry.answer;
  }

  /** The answer under way for this key, if there is one. It may fail. */
  pending(key: string): Promise<ModelAnswer> | null {
    return this.asking.get(key) ?? null;
  }

  /** Asks, tells whoever else wants the same meanwhile, and keeps an answer. Failures are told, never kept. */
  async ask(key: string, ask: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
    const asking = ask();
    this.asking.set(key, asking);
    try {
      const answer = await asking;
      this.keep(key, answer);
      return answer;
    } finally {
      this.asking.delete(key);
    }
  }

  private keep(key: string, answer: ModelAnswer): void {
    this.kept.set(key, { answer, untilMs: this.clock.monotonicMs() + this.ttlMs });
    if (this.kept.size > CAPACITY) this.kept.delete(this.kept.keys().next().value!);
  }
}
