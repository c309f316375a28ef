/** How much is done in one step: some tens of microseconds. */
export const STEP_SIZE = 1_000;

/** Counts the work of a generator, to divide it into steps of a bounded size. */
export class Pauses {
  private done = 0;

  /** Whether the generator should yield. @param work about as many comparisons */
  isDue(work = 1): boolean {
    this.done += work;
    if (this.done < STEP_SIZE) return false;
    this.done = 0;
    return true;
  }
}
