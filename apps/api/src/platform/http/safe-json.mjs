// @ts-check
/**
 * This is plain JavaScript, so that a worker thread can load it both from the sources (in tests) and from the build.
 */
import { explainFault } from './json-fault.mjs';

/**
 * Limits for a body (libs/contracts/src/limits.ts).
 * @typedef {{ depth: number, keys: number, values: number, nonBlankBytes?: number }} JsonLimits
 * @typedef {{ kind: 'invalid', message: string } | { kind: 'json', where: string } | { kind: 'no-object' }} JsonFault
 * @typedef {{ value: object } | { fault: JsonFault }} SafeJson
 */

/** Thrown when the text exceeds a limit, or has a key or a character that is not allowed. */
class UnsafeJson extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses one JSON object that is safe to walk and to store, or says why the text is not one.
 * @param {Uint8Array} bytes
 * @param {JsonLimits} limits
 * @returns {SafeJson}
 */
export function parseSafely(bytes, limits) {
  try {
    const { nonBlankBytes = Infinity } = limits;
    const isBlown = bytes.length > 2 * nonBlankBytes;
    if (isBlown) bytes = squeeze(bytes, nonBlankBytes);
    // A shorter body can't exceed the limits.
    if (bytes.length > Math.min(limits.values, nonBlankBytes)) countBeforeParsing(bytes, limits);
    const text = decode(bytes);
    if (text === null) return { fault: { kind: 'json', where: 'the body is not UTF-8 text' } };
    const value = parse(text);
    if (value === undefined) {
      // Positions in the squeezed text would mislead.
      const where = explainFault(text).replace(isBlown ? / at line .*/ : '', '');
      return { fault: { kind: 'json', where } };
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fault: { kind: 'no-object' } };
    refuseUnsafe(value, 1, limits);
    return { value };
  } catch (error) {
    if (error instanceof UnsafeJson) return { fault: { kind: 'invalid', message: error.message } };
    throw error;
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {number} values
 * @returns {boolean} whether the text has more values than that, if it is JSON
 */
export function hasMoreValues(bytes, values) {
  try {
    countBeforeParsing(bytes, { depth: Infinity, keys: Infinity, values });
    return false;
  } catch (error) {
    if (error instanceof UnsafeJson) return true;
    throw error;
  }
}

/** @param {Uint8Array} bytes @returns {string | null} null if it is not UTF-8 */
function decode(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** @param {string} text @returns {unknown} undefined if it is not JSON */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {JsonLimits} limits */
const tooDeep = (limits) => new UnsafeJson(`JSON must not be nested deeper than ${limits.depth} levels`);
/** @param {JsonLimits} limits */
const tooMany = (limits) => new UnsafeJson(`JSON must not have more than ${limits.values} values`);

/** @param {number} bytes */
const tooLong = (bytes) =>
  new UnsafeJson(`JSON without a credential must not have more than ${bytes / 1024} kB besides white space`);

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Checks the limits before parsing, because 20 MB of `[],[],…` would become 600 MB of objects. The number of values is
 * one more than the number of commas plus non-empty containers. For text that is not JSON the count is meaningless, but
 * the parser refuses such text.
 * @param {Uint8Array} bytes
 * @param {JsonLimits} limits
 */
function countBeforeParsing(bytes, limits) {
  let values = 1;
  let depth = 0;
  let justOpened = false;
  let nonBlank = 0;
  const { nonBlankBytes = Infinity } = limits;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isBlank(byte)) continue;
    if (++nonBlank > nonBlankBytes) throw tooLong(nonBlankBytes);
    if (byte === COLON) continue;
    if (byte === 0x5d || byte === 0x7d) {
      depth--;
      justOpened = false;
      continue;
    }
    if (justOpened) {
      justOpened = false;
      if (++values > limits.values) throw tooMany(limits);
    }
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      nonBlank += end - at;
      if (nonBlank > nonBlankBytes) throw tooLong(nonBlankBytes);
      at = end;
    } else if (byte === COMMA) {
      if (++values > limits.values) throw tooMany(limits);
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > limits.depth) throw tooDeep(limits);
      justOpened = true;
    }
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {number} start the position of the opening quote
 * @returns {number} the position of its closing quote, or beyond the end
 */
function endOfString(bytes, start) {
  let at = bytes.indexOf(QUOTE, start + 1);
  if (at < 0) return bytes.length;
  if (bytes[at - 1] !== BACKSLASH) return at;
  // Half of the text may be escaped quotes: a search from one to the next would cost far more than these steps.
  for (at = start + 1; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
  return Math.min(at, bytes.length);
}

/** @param {number} byte */
const isBlank = (byte) => byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Makes one blank of each run of white space outside strings, in place. To walk over a megabyte of blanks again and
 * again, and to decode it, would cost more than all the rest.
 * @param {Uint8Array} bytes
 * @param {number} maxBytes the most bytes besides white space
 */
function squeeze(bytes, maxBytes) {
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (isBlank(bytes[at])) {
      while (isBlank(bytes[at + 1])) at++;
      bytes[length++] = SPACE;
    } else if (bytes[at] === QUOTE) {
      const end = Math.min(endOfString(bytes, at) + 1, bytes.length);
      bytes.copyWithin(length, at, end);
      length += end - at;
      at = end - 1;
    } else bytes[length++] = bytes[at];
    // At most every second byte outside strings is a blank.
    if (length > 2 * maxBytes + 1) throw tooLong(maxBytes);
  }
  return bytes.subarray(0, length);
}

/** class-transformer, which creates the DTOs, throws on an own key `constructor`. */
const UNSAFE_KEYS = new Set(['__proto__', 'constructor']);

/**
 * @param {unknown} value
 * @param {number} depth
 * @param {JsonLimits} limits
 * @returns {number} the number of values in it, including itself
 */
function refuseUnsafe(value, depth, limits) {
  if (typeof value === 'string') refuseUnstorable(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (depth > limits.depth) throw tooDeep(limits);
  let count = 1;
  if (Array.isArray(value)) {
    for (const entry of value) count += refuseUnsafe(entry, depth + 1, limits);
  } else {
    const keys = Object.keys(value);
    if (keys.length > limits.keys) throw new UnsafeJson(`JSON objects must not have more than ${limits.keys} keys`);
    for (const key of keys) {
      refuseUnstorable(key);
      if (UNSAFE_KEYS.has(key)) throw new UnsafeJson(`JSON must not have a key ${key}`);
      count += refuseUnsafe(/** @type {Record<string, unknown>} */ (value)[key], depth + 1, limits);
    }
  }
  if (count > limits.values) throw tooMany(limits);
  return count;
}

/**
 * PostgreSQL's text type can store neither NUL (docs/reference/http.md#json) nor unpaired surrogates, which UTF-8 can't
 * encode.
 * @param {string} text
 */
function refuseUnstorable(text) {
  if (text.includes('\0')) throw new UnsafeJson('JSON must not contain NUL characters');
  if (!text.isWellFormed()) throw new UnsafeJson('JSON must not contain unpaired surrogates');
}
