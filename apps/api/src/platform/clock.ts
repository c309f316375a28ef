import { performance } from 'node:perf_hooks';
import { Injectable } from '@nestjs/common';

/** The only source of time, so that tests can replace it. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }

  nowMs(): number {
    return Date.now();
  }

  /** Milliseconds that never go backwards, for durations. */
  monotonicMs(): number {
    return performance.now();
  }
}
