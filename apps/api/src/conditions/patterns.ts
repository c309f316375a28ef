import { RE2JS, RE2JSException, RE2Set } from 're2js';
import { OUT_OF_STEPS, textSteps, Undecided, type Steps } from './values.js';

/** The longest text in which `matches` searches, in characters. */
export const SUBJECT_MAX = 100_000;
/** The longest pattern. Those in a condition are shorter. */
const PATTERN_MAX = 1000;
/** The most instructions of a pattern. One with more takes milliseconds to be read. */
const SIZE_MAX = 1000;
/** The steps for reading a pattern that the condition does not state. */
const COMPILING_STEPS = 100_000;
/** What one pattern may remember of the texts that it has read. 500 rules then take 128 MB at most. */
const MEMORY_MAX_BYTES = 256 * 1024;

export class Pattern {
  private constructor(
    private readonly set: RE2Set,
    private readonly size: number,
  ) {}

  /** @returns why the text is no pattern */
  static of(text: string): Pattern | string {
    try {
      const size = text.length > PATTERN_MAX ? Infinity : RE2JS.compile(text).programSize();
      if (size > SIZE_MAX) return 'the regular expression is too large';
      // The set of one, because its memory can be limited.
      const set = new RE2Set(RE2Set.UNANCHORED, 0, MEMORY_MAX_BYTES);
      set.add(text);
      set.compile();
      return new Pattern(set, size);
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      return 'it is no regular expression of RE2 (https://github.com/google/re2/wiki/Syntax)';
    }
  }

  /** Whether some part of the text matches. The time is at most the product of the lengths of text and pattern. */
  matches(text: string, steps: Steps): boolean | Undecided {
    if (text.length > SUBJECT_MAX) return new Undecided(`matches() reads at most ${SUBJECT_MAX} characters`);
    return steps.take(1 + (text.length * this.size) / 8) ? this.set.match(text).length > 0 : OUT_OF_STEPS;
  }
}

/** For a pattern that is a part of the request. */
export function matches(text: string, pattern: string, steps: Steps): boolean | Undecided {
  if (!steps.take(COMPILING_STEPS)) return OUT_OF_STEPS;
  const read = Pattern.of(pattern);
  return typeof read === 'string' ? new Undecided(read) : read.matches(text, steps);
}

/** V8 searches for longer texts in time that is the product of both lengths. */
const SOUGHT_MAX = 200;

/** Where the first `sought` is from `from` on, or -1. */
export function placeOf(text: string, sought: string, steps: Steps): number | Undecided {
  if (sought.length > text.length) return -1;
  if (sought.length <= SOUGHT_MAX) return steps.take(textSteps(text.length)) ? text.indexOf(sought) : OUT_OF_STEPS;
  return steps.take((text.length + sought.length) / 4) ? placeOfLong(text, sought) : OUT_OF_STEPS;
}

/** The algorithm of Knuth, Morris and Pratt. */
function placeOfLong(text: string, sought: string): number {
  const borders = new Uint32Array(sought.length);
  for (let at = 1, length = 0; at < sought.length; at++) {
    while (length > 0 && sought[at] !== sought[length]) length = borders[length - 1];
    if (sought[at] === sought[length]) length++;
    borders[at] = length;
  }
  for (let at = 0, length = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== sought[length]) length = borders[length - 1];
    if (text[at] === sought[length]) length++;
    if (length === sought.length) return at - length + 1;
  }
  return -1;
}
