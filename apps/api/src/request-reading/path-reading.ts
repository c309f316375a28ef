import { FILTER_BITS, GROUP_MAX, withCharacter } from './character-groups.js';
import type { PathGlob } from './path-glob.js';

/** A shorter path is searched as fast as its filter is made. */
const FILTERED_FROM = 256;

/**
 * One reading of a path, with a filter of the groups of one to four characters that it has. Nearly every pattern that
 * does not match has a group that the path lacks. So hundreds of rules are compared with a path of thousands of
 * characters without a search for each.
 */
export class PathReading {
  private filter?: Uint8Array;

  constructor(readonly text: string) {}

  /** False if the glob certainly does not match. */
  mayMatch(glob: PathGlob): boolean {
    if (this.text.length < FILTERED_FROM) return true;
    const filter = (this.filter ??= buildFilter(this.text));
    for (const group of glob.groups) {
      if ((filter[group >>> 3] & (1 << (group & 7))) === 0) return false;
    }
    return true;
  }
}

function buildFilter(text: string): Uint8Array {
  const filter = new Uint8Array(FILTER_BITS >>> 3);
  for (let at = 0; at < text.length; at++) {
    const end = Math.min(text.length, at + GROUP_MAX);
    let group = 0;
    for (let next = at; next < end; next++) {
      group = withCharacter(group, text.charCodeAt(next));
      filter[group >>> 3] |= 1 << (group & 7);
    }
  }
  return filter;
}
