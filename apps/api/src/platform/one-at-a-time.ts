import pLimit, { type LimitFunction } from 'p-limit';

/** Runs the jobs of each owner one after the other. However many wait, only one of them uses memory. */
export class OneAtATime {
  private readonly owners = new Map<number, LimitFunction>();

  async run<Result>(owner: number, job: () => Promise<Result>): Promise<Result> {
    const mine = this.owners.get(owner) ?? pLimit(1);
    this.owners.set(owner, mine);
    try {
      return await mine(job);
    } finally {
      if (mine.activeCount + mine.pendingCount === 0) this.owners.delete(owner);
    }
  }
}
