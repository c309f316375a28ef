import { Injectable } from '@nestjs/common';
import { Clock } from './clock.js';
import { OneAtATime } from './one-at-a-time.js';
import type { ShortSteps } from './short-steps.js';

/**
 * How long one pass of the event loop spends on turns. The request of another caller goes through the loop a few times,
 * and waits at most this long each time.
 */
const SLICE_MS = 0.5;

/**
 * Shares the CPU of this process between agents. Whatever the answer of an upstream or the request of an agent can make
 * long is done in steps. The agents take turns, and so do the tasks of one agent, so that a hundred streams get the share
 * of one agent. Between two slices the event loop serves everything else (docs/adr/0070-turns.md).
 */
@Injectable()
export class Turns {
  /** The next steps of each agent. The first agent is the next one. */
  private readonly waiting = new Map<number, (() => void)[]>();
  /** Whose turn it is now. */
  private current: number | null = null;
  private readonly inOrder = new OneAtATime();

  constructor(private readonly clock: Clock) {}

  /** Does one step when it is the agent's turn. */
  take(agentId: number, step: () => void): void {
    const own = this.waiting.get(agentId);
    if (own !== undefined) return void own.push(step);
    if (this.waiting.size === 0) setImmediate(this.pass);
    this.waiting.set(agentId, [step]);
  }

  /** Does all steps, each when it is the agent's turn. */
  finish<Result>(agentId: number, steps: ShortSteps<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          const { done, value } = steps.next();
          if (done) resolve(value);
          else this.take(agentId, step);
        } catch (error) {
          reject(error); // eslint-disable-line @typescript-eslint/prefer-promise-reject-errors -- as it was thrown
        }
      };
      this.take(agentId, step);
    });
  }

  /**
   * Like `finish`, but for large tasks: one begins when the agent's earlier ones have ended. Several at once would use
   * much memory.
   */
  finishInOrder<Result>(agentId: number, steps: ShortSteps<Result>): Promise<Result> {
    return this.inOrder.run(agentId, () => this.finish(agentId, steps));
  }

  /**
   * Like `finish`, but in a turn of the agent it does the first step at once. Outside of its turns nothing bounds how
   * many tasks begin: a reader that pauses lets a stream collect thousands of blocks, and then takes all of them at once.
   */
  beginInTurn<Result>(agentId: number, steps: ShortSteps<Result>): Result | Promise<Result> {
    return this.current === agentId ? this.begin(agentId, steps) : this.finish(agentId, steps);
  }

  /** Like `finish`, but does the first step at once: most tasks have only one. */
  begin<Result>(agentId: number, steps: ShortSteps<Result>): Result | Promise<Result> {
    const { done, value } = steps.next();
    return done ? value : this.finish(agentId, steps);
  }

  private readonly pass = (): void => {
    const endMs = this.clock.monotonicMs() + SLICE_MS;
    try {
      do this.doNext();
      while (this.waiting.size > 0 && this.clock.monotonicMs() < endMs);
    } finally {
      // A step that throws must not end the turns of all agents.
      if (this.waiting.size > 0) setImmediate(this.pass);
    }
  };

  private doNext(): void {
    const [[agentId, steps]] = this.waiting;
    this.waiting.delete(agentId);
    this.waiting.set(agentId, steps);
    this.current = agentId;
    try {
      steps[0]();
    } finally {
      this.current = null;
      steps.shift();
      if (steps.length === 0) this.waiting.delete(agentId);
    }
  }
}
