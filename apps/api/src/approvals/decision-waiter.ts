import { Injectable } from '@nestjs/common';
import type { ActionEntity } from '#database';
import { EventHub } from '../events/event-hub.js';
import { Clock } from '../platform/clock.js';

/**
 * Waits for a decision by listening, without polling the database.
 * See docs/reference/agent-api.md#waiting.
 */
@Injectable()
export class DecisionWaiter {
  constructor(
    private readonly hub: EventHub,
    private readonly clock: Clock,
  ) {}

  /**
   * @param read reads the current action
   * @returns the action as soon as it is no longer PENDING for the agent; its current state after `seconds`, when `gone` aborts, or
   * when the gateway stops
   */
  async decision(
    actionId: string,
    seconds: number,
    gone: AbortSignal,
    read: () => Promise<ActionEntity>,
  ): Promise<ActionEntity> {
    const deadlineMs = this.clock.monotonicMs() + seconds * 1000;
    for (;;) {
      const wait = new AbortController();
      const remainingMs = deadlineMs - this.clock.monotonicMs();
      // Listening begins before the read, so that no decision is missed in between.
      const change = this.hub.actionChange(actionId, Math.max(0, remainingMs), AbortSignal.any([gone, wait.signal]));
      try {
        const action = await read();
        const over = remainingMs <= 0 || gone.aborted || this.hub.isStopped;
        if (over || action.agentStatus !== 'PENDING') return action;
        // No event tells that the time to decide is over, or that an approval begins to count.
        const { effectiveStatus, expiresInMs, countsInMs } = action;
        const nextMs = effectiveStatus === 'PENDING' ? expiresInMs : (countsInMs ?? 0);
        const timer = setTimeout(() => wait.abort(), Math.min(nextMs, remainingMs));
        await change;
        clearTimeout(timer);
      } finally {
        wait.abort();
      }
    }
  }
}
