import { hasMoreValues } from './safe-json.mjs';

/** 10 MB of `[],` would become 200 MB of objects that nobody has charged, and take more than a second. */
export const VALUES_MAX = 100_000;

export type BoundedJson = { value: unknown } | 'no JSON' | 'too many values';

/** Parses text for an upstream, which may be of any size and kind. */
export function parseBounded(text: string): BoundedJson {
  // A shorter text can't have more.
  if (text.length > VALUES_MAX && hasMoreValues(Buffer.from(text), VALUES_MAX)) return 'too many values';
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return 'no JSON';
  }
}
