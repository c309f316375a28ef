import type { ActionEntity } from '#database';
import type { Clock } from '../platform/clock.js';
import type { ToolContext } from './tool.js';

const INTERVAL_MS = 5_000;

/** Tells a caller that waits for a decision that it is waiting, at once and every few seconds. */
export class WaitReporter {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly context: ToolContext,
    private readonly clock: Clock,
    private readonly waitSeconds: number,
  ) {}

  waitingFor(action: ActionEntity): void {
    if (this.timer !== undefined || this.waitSeconds === 0) return;
    if (action.effectiveStatus !== 'PENDING') return;
    const startMs = this.clock.monotonicMs();
    const report = (): void => {
      const elapsed = Math.round((this.clock.monotonicMs() - startMs) / 1000);
      this.context.progress(
        Math.min(elapsed, this.waitSeconds),
        this.waitSeconds,
        `Waiting for a human to decide on action ${action.id}: ${action.summary}`,
      );
    };
    report();
    this.timer = setInterval(report, INTERVAL_MS);
    // Whoever hangs up must not be reported to until the end of a wait that may outlast it.
    this.context.gone.addEventListener('abort', () => this.stop(), { once: true });
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
