import { setImmediate as endOfTurn } from 'node:timers/promises';
import { isConflict, sqlState } from '#database';
import { retry } from './retry.js';

/** SQLSTATE classes for errors in the data of one row. The other rows of its batch must not fail with it. */
const ROW_FAULT = /^2[23]/;
const MAX_BATCH = 250;
/** Enough for a flush. To write much more as one text would block the event loop. */
const MAX_BATCH_BYTES = 1024 * 1024;
/**
 * Turns of the event loop before each statement. The items of these turns share the statement. A turn lasts
 * milliseconds under load, and almost no time when there is nothing to do, so a single item does not wait.
 */
const TURNS_BEFORE_STATEMENT = 5;
const ATTEMPTS = 3;
/** Much longer than a statement takes when the database is healthy. */
const SLOW_MS = 1000;

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: items that arrive while a statement runs share the next statement. Each caller waits until its own item
 * is durable. Under load, hundreds of items share one round trip and one flush of the database's log.
 */
export class GroupCommit<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private flushing = false;

  /**
   * @param commit runs one atomic statement for all items, and returns a result for each in the same order
   * @param countBytes about how many bytes an item that may be large has
   */
  constructor(
    private readonly commit: (items: T[]) => Promise<R[]>,
    private readonly countBytes: (item: T) => number = () => 0,
  ) {}

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.flushing) return;
      this.flushing = true;
      void this.flushAll();
    });
  }

  private async flushAll(): Promise<void> {
    do {
      for (let turn = 0; turn < TURNS_BEFORE_STATEMENT; turn++) await endOfTurn();
      await this.flush(this.nextBatch());
    } while (this.waiting.length > 0);
    this.flushing = false;
  }

  private nextBatch(): Waiting<T, R>[] {
    const most = Math.min(MAX_BATCH, this.waiting.length);
    let [count, bytes] = [0, 0];
    while (count < most && bytes < MAX_BATCH_BYTES) bytes += this.countBytes(this.waiting[count++].item);
    return this.waiting.splice(0, count);
  }

  private async flush(batch: Waiting<T, R>[]): Promise<void> {
    const items = batch.map(({ item }) => item);
    const startMs = performance.now();
    try {
      const results = await retry(() => this.commit(items), { attempts: ATTEMPTS, when: isConflict });
      batch.forEach(({ resolve }, index) => resolve(results[index]));
    } catch (error) {
      if (batch.length > 1 && ROW_FAULT.test(sqlState(error) ?? '')) {
        for (const one of batch) await this.flush([one]);
        return;
      }
      // Items queued behind a timed-out statement fail with it. Otherwise they could wait for a second timeout.
      const late = performance.now() - startMs > SLOW_MS ? this.waiting.splice(0) : [];
      for (const { reject } of [...batch, ...late]) reject(error);
    }
  }
}
