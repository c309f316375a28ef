import type { UndecidedReason } from '#contracts';

/** How many reasons a person reads. */
const MAX = 3;
/** A reason can name a field of a body, so there can be as many as requests. */
const KEPT_MAX = 100;

/** Why conditions could not be decided, and how often. */
export class Reasons {
  total = 0;
  private readonly counts = new Map<string, number>();

  add(reason: string): void {
    this.total += 1;
    const count = this.counts.get(reason);
    if (count !== undefined || this.counts.size < KEPT_MAX) this.counts.set(reason, (count ?? 0) + 1);
  }

  get mostFrequent(): UndecidedReason[] {
    return [...this.counts]
      .sort(([, one], [, other]) => other - one)
      .slice(0, MAX)
      .map(([reason, count]) => ({ reason, count }));
  }
}
