import { errors } from './errors.js';

/** Where a page ended: opaque to the caller, the sort values of its last row to us. */
export function encodeCursor(values: string[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

const SAFE = /^[0-9A-Za-z:.+-]{1,64}$/;

/** @throws 400 for anything that is no cursor of `length` values */
export function decodeCursor(cursor: string, length: number): string[] {
  try {
    const values = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
    if (
      Array.isArray(values) &&
      values.length === length &&
      values.every((v) => typeof v === 'string' && SAFE.test(v))
    ) {
      return values as string[];
    }
  } catch {
    // Falls through: the same answer as for any other text.
  }
  throw errors.invalid('cursor: must be the nextCursor of an earlier page');
}
