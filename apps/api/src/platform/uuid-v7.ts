import { randomFillSync } from 'node:crypto';

/** The bytes of the last two groups of an id. */
const RANDOM_BYTES = 8;
const RANDOM_DIGITS = RANDOM_BYTES * 2;
const pool = Buffer.alloc(RANDOM_BYTES * 512);
/** Random digits for many ids. One call of the random generator costs more than one id. */
let digits = '';
let used = 0;
let lastMs = -Infinity;
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
  const [start, middle] = [used, used + 4];
  used += RANDOM_DIGITS;
  const tail = `${digits.slice(start, middle)}-${digits.slice(middle, used)}`;
  return `${timeDigits}-7${counter.toString(16).padStart(3, '0')}-${tail}`;
}

function startMillisecond(ms: number): void {
  lastMs = ms;
  timeDigits = timeGroups(ms);
  counter = 0;
}

/** The first two groups of an id. Ids begin in 1970. */
function timeGroups(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** The smallest UUID version 7 of a point in time, for time ranges over ids. */
export const firstUuidV7 = (ms: number): string => `${timeGroups(ms)}-7000-8000-000000000000`;

/** The time in a UUID version 7, in milliseconds. */
export function momentOfUuidV7(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
