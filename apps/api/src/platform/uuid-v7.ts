import { randomFillSync } from 'node:crypto';

/** Two groups of hexadecimal digits: the one with the variant, and the node. */
const RANDOM_BYTES = 8;
const RANDOM_DIGITS = RANDOM_BYTES * 2;
const pool = Buffer.alloc(RANDOM_BYTES * 512);
/** Random digits for many ids. One call of the random generator costs more than one id. */
let digits = '';
let used = 0;
let lastMs = -1;
let timeDigits = '';
let counter = 0;

/**
 * Creates a UUID version 7 (RFC 9562 section 5.7) with a counter in `rand_a`, so that the ids of one process are
 * sorted.
 */
export function uuidV7(nowMs: number): string {
  if (nowMs > lastMs) {
    startMillisecond(nowMs);
  } else if (++counter > 0xfff) {
    startMillisecond(lastMs + 1);
  }
  if (used === digits.length) {
    randomFillSync(pool);
    for (let index = 0; index < pool.length; index += RANDOM_BYTES) pool[index] = (pool[index] & 0x3f) | 0x80;
    digits = pool.toString('hex');
    used = 0;
  }
  const middle = used + 4;
  const tail = `${digits.slice(used, middle)}-${digits.slice(middle, (used += RANDOM_DIGITS))}`;
  return `${timeDigits}-7${counter.toString(16).padStart(3, '0')}-${tail}`;
}

function startMillisecond(ms: number): void {
  lastMs = ms;
  timeDigits = timeGroups(ms);
  counter = 0;
}

/** The first two groups of an id. */
function timeGroups(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** The smallest UUID version 7 of a point in time, for time ranges over ids. */
export const firstUuidV7 = (ms: number): string => `${timeGroups(Math.max(0, ms))}-7000-8000-000000000000`;

/** The time in a UUID version 7, in milliseconds. */
export function momentOfUuidV7(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
