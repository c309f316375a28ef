import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';

/** Long work of the main thread. It yields after each short step. */
export type ShortSteps<T> = Generator<void, T>;

export function atOnce<T>(steps: ShortSteps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Longer, and others would notice it. Shorter, and the turns themselves would cost more than the work. */
const TURN_MS = 2;

/**
 * Long work in turns, of which each turn of the event loop has one. So all other requests wait for one turn, however much
 * work there is. Owners take turns, and the work of one owner is done one after the other.
 */
export class Turns {
  private readonly turns = pLimit(1);
  private readonly owners = new Map<number, LimitFunction>();

  async take<T>(owner: number, steps: ShortSteps<T>): Promise<T> {
    const mine = this.owners.get(owner) ?? pLimit(1);
    this.owners.set(owner, mine);
    try {
      return await mine(async () => {
        for (;;) {
          const step = await this.turns(() => turn(steps));
          if (step.done === true) return step.value;
        }
      });
    } finally {
      if (mine.activeCount + mine.pendingCount === 0) this.owners.delete(owner);
    }
  }
}

async function turn<T>(steps: ShortSteps<T>): Promise<IteratorResult<void, T>> {
  await nextTurn();
  const endMs = performance.now() + TURN_MS;
  let step = steps.next();
  while (step.done !== true && performance.now() < endMs) step = steps.next();
  return step;
}
