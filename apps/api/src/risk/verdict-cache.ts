import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import type { ModelAnswer } from './model-answer.js';

/** An answer of the model, and what it is worth. */
export interface Judgement extends ModelAnswer {
  /** The score that counts: higher than the model's own if the model did not see the whole request. */
  raisedScore: number;
  /** What approvers must know besides the model's explanation. May be empty. */
  notes: string;
}

/** About 5 MB of answers. */
const CAPACITY = 5_000;

/**
 * Caches the model's answers for `RISK_CACHE_SECONDS`. Identical requests at the same time share one call. See
 * docs/reference/risk.md#cache.
 */
@Injectable()
export class VerdictCache {
  readonly enabled: boolean;
  private readonly answers: LRUCache<string, Judgement>;
  private readonly asking = new Map<string, Promise<Judgement>>();

  constructor(config: RiskConfig, clock: Clock) {
    this.enabled = config.cacheSeconds > 0;
    this.answers = new LRUCache({
      max: CAPACITY,
      ttl: config.cacheSeconds * 1000,
      ttlResolution: 0,
      perf: { now: () => clock.monotonicMs() },
    });
  }

  get size(): number {
    return this.answers.size;
  }

  get(key: string): Judgement | null {
    return this.answers.get(key) ?? null;
  }

  /** The call in progress for this key, or null. It can fail. */
  pending(key: string): Promise<Judgement> | null {
    return this.asking.get(key) ?? null;
  }

  /** Calls the model and caches its answer. All who wait for the call get a failure too, but it is never cached. */
  async ask(key: string, ask: () => Promise<Judgement>): Promise<Judgement> {
    const asking = ask();
    this.asking.set(key, asking);
    try {
      const answer = await asking;
      this.answers.set(key, answer);
      return answer;
    } finally {
      this.asking.delete(key);
    }
  }
}
