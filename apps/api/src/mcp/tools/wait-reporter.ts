import type { ActionEntity } from '#database';
import type { Clock } from '../../platform/clock.js';
import type { ToolContext } from './tool.js';

const INTERVAL_MS = 5_000;

/** Reports to a waiting caller that the decision is pending, immediately and every few seconds. */
export class WaitReporter {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly context: ToolContext,
    private readonly clock: Clock,
    private readonly waitSeconds: number,
  ) {}

  waitingFor(action: ActionEntity): void {
    if (this.timer !== undefined || this.waitSeconds === 0) return;
    if (action.agentStatus !== 'PENDING') return;
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
    // A caller that hung up must not get reports until the end of a longer wait.
    this.context.gone.addEventListener('abort', () => this.stop(), { once: true });
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
