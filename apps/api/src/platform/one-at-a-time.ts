import pLimit, { type LimitFunction } from 'p-limit';

/** Does the work of each owner one after the other. So only one work of an owner uses memory, however many wait. */
export class OneAtATime {
  private readonly owners = new Map<number, LimitFunction>();

  async run<Result>(owner: number, work: () => Promise<Result>): Promise<Result> {
    const mine = this.owners.get(owner) ?? pLimit(1);
    this.owners.set(owner, mine);
    try {
      return await mine(work);
    } finally {
      if (mine.activeCount + mine.pendingCount === 0) this.owners.delete(owner);
    }
  }
}
