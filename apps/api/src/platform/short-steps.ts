/** Long work in steps, most of them well under a millisecond. Others can be served between two of them (`Turns`). */
export type ShortSteps<Result> = Generator<void, Result, void>;

/** For short work, and where nobody else waits. */
export function atOnce<Result>(steps: ShortSteps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
