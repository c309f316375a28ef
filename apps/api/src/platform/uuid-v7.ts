import { randomFillSync } from 'node:crypto';

const RANDOM_BYTES = 8;
/** Random bytes for many ids. One call of the random generator costs more than one id. */
const pool = Buffer.alloc(RANDOM_BYTES * 512);
let used = pool.length;
let lastMs = 0;
let counter = 0;

/**
 * Creates a UUID version 7 (RFC 9562 section 5.7) with a counter in `rand_a`, so that the ids of one process are
 * sorted.
 */
export function uuidV7(nowMs: number): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, (used += RANDOM_BYTES));
  const time = lastMs.toString(16).padStart(12, '0');
  random[0] = (random[0] & 0x3f) | 0x80;
  const tail = random.toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** The smallest UUID version 7 of a point in time, for time ranges over ids. */
export function firstUuidV7(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** The time in a UUID version 7, in milliseconds. */
export function momentOfUuidV7(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
