import { errors } from './errors.js';

/**
 * Checks for the values in a cursor. Without them, PostgreSQL would refuse a malformed value and the caller would get a
 * 500.
 */
const CURSOR_VALUES = {
  uuid: (value: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  moment: (value: string) => !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value,
  id: (value: string) => /^[1-9]\d{0,9}$/.test(value) && Number(value) < 2 ** 31,
  number: (value: string) => Number.isFinite(Number(value)) && String(Number(value)) === value,
};
export type CursorValue = keyof typeof CURSOR_VALUES;

/** Encodes the position where a page ended: the sort values of its last row. Callers treat it as opaque. */
export function encodeCursor(values: string[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** @throws ApiError 400 for anything but a cursor of these values */
export function decodeCursor(cursor: string, kinds: readonly CursorValue[]): string[] {
  try {
    const values = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
    if (
      Array.isArray(values) &&
      values.length === kinds.length &&
      kinds.every((kind, index) => typeof values[index] === 'string' && CURSOR_VALUES[kind](values[index]))
    ) {
      return values as string[];
    }
  } catch {
    // Falls through to the same error.
  }
  throw errors.invalid('cursor: must be the nextCursor of an earlier page');
}
