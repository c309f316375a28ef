import { parseBounded, VALUES_MAX } from '../platform/http/bounded-json.js';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';

/** Deeper JSON is compared byte for byte: each level costs time and memory. */
const DEPTH_MAX = 500;
const WORD = /[^\s,\]}]*/y;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?)0*(\d{1,9}))?$/i;

/** Thrown where two readers could understand a text differently. */
class Doubt extends Error {}

/** Whether a text at the top level does not count. */
type LeftOut = (name: string, value: string) => boolean;

/**
 * JSON in one spelling: sorted keys, no blanks, one spelling of each string and number. Null: the text is not JSON, has
 * too many values, or readers may understand it differently, because it has a key twice.
 * @param isExact null also if keys differ only in case, because some readers, such as Go's, take them for one key
 */
export const canonicalJson = (text: string, leftOut: LeftOut | null, options?: { isExact?: boolean }): string | null =>
  atOnce(canonicalSteps(text, leftOut, options));

/** What `canonicalJson` returns. */
export function* canonicalSteps(
  text: string,
  leftOut: LeftOut | null,
  { isExact = false } = {},
): ShortSteps<string | null> {
  if (typeof parseBounded(text) === 'string') return null;
  yield;
  const reader = new Reader(text, leftOut, isExact);
  try {
    for (;;) {
      const whole = reader.read(VALUES_PER_STEP);
      if (whole !== undefined) return whole;
      yield;
    }
  } catch (error) {
    if (error instanceof Doubt) return null;
    throw error;
  }
}

/** They take about half a millisecond. */
const VALUES_PER_STEP = 200;

/**
 * The object or list at the start of a text, which some readers take without a look at the rest. Empty: there is none, or
 * it has too many values.
 */
export function firstValue(text: string): string {
  const start = text.search(/\S/);
  if (!/[{[]/.test(text.charAt(start))) return '';
  let depth = 0;
  // At most two for each value: its own bracket, and the comma behind it.
  let marks = 0;
  for (let at = start; at < text.length && marks <= 2 * VALUES_MAX; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === ',') marks += 1;
    else if (character === '{' || character === '[') {
      depth += 1;
      marks += 1;
    } else if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) return text.slice(start, at + 1);
  }
  return '';
}

/** The place of the quotation mark that ends the string, or the length of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

/** An object or a list that is not closed yet. */
interface Container {
  items: string[];
  /** Of an object, by name. Null: it is a list. */
  members: Map<string, string> | null;
  /** The names, as they are compared. */
  keys: Set<string>;
  /** The name of the value that comes next. */
  name: string;
}

/** Reads a text that is known to be JSON. `JSON.parse` would lose digits of numbers and repeated keys. */
class Reader {
  private at = 0;
  private readonly open: Container[] = [];

  constructor(
    private readonly text: string,
    private readonly leftOut: LeftOut | null,
    private readonly isExact: boolean,
  ) {}

  /** Reads at most this many values more. @returns undefined if there are others */
  read(most: number): string | undefined {
    for (let left = most; left > 0; left--) {
      let value = this.begin();
      while (value !== undefined) {
        const container = this.open.at(-1);
        if (container === undefined) return value;
        this.add(container, value);
        this.consume(',');
        value = this.ended(container);
      }
    }
    return undefined;
  }

  /** @returns undefined if it is an object or a list that has values */
  private begin(): string | undefined {
    if (this.open.length > DEPTH_MAX) throw new Doubt();
    const mark = this.next();
    if (mark === '"') return this.string();
    if (mark !== '{' && mark !== '[') return this.word();
    this.at++;
    const container: Container = { items: [], members: mark === '{' ? new Map() : null, keys: new Set(), name: '' };
    this.open.push(container);
    return this.ended(container);
  }

  /** @returns the whole object or list, or undefined if another value follows */
  private ended(container: Container): string | undefined {
    const { items, members } = container;
    if (this.next() !== (members === null ? ']' : '}')) {
      if (members !== null) this.readName(container);
      return undefined;
    }
    this.at++;
    this.open.pop();
    if (members === null) return `[${items.join()}]`;
    const names = [...members.keys()].sort();
    return `{${names.map((name) => `${name}:${members.get(name)}`).join()}}`;
  }

  private readName(container: Container): void {
    const { keys } = container;
    const name = this.string();
    const key = this.isExact ? name.toUpperCase().toLowerCase() : name;
    if (keys.has(key)) throw new Doubt();
    keys.add(key);
    this.consume(':');
    container.name = name;
  }

  private add({ items, members, name }: Container, value: string): void {
    if (members === null) items.push(value);
    else if (this.open.length > 1 || !this.isLeftOut(name, value)) members.set(name, value);
  }

  private isLeftOut(name: string, value: string): boolean {
    if (this.leftOut === null || !value.startsWith('"') || value.length >= 100) return false;
    return this.leftOut(name.slice(1, -1), value.slice(1, -1));
  }

  private string(): string {
    this.next();
    const start = this.at;
    this.at = endOfString(this.text, start) + 1;
    const raw = this.text.slice(start, this.at);
    return raw.includes('\\') ? JSON.stringify(JSON.parse(raw)) : raw;
  }

  private word(): string {
    WORD.lastIndex = this.at;
    const [word] = WORD.exec(this.text)!;
    this.at += word.length;
    return oneSpelling(word);
  }

  /** Skips blanks. @returns the next character */
  private next(): string {
    while (this.text[this.at] <= ' ') this.at++;
    return this.text[this.at];
  }

  private consume(mark: string): void {
    if (this.next() === mark) this.at++;
  }
}

/** `1`, `1.0` and `10e-1` are one number. No digit is lost. */
function oneSpelling(word: string): string {
  const [, sign, whole, fraction = '', direction = '', exponent = '0'] = NUMBER.exec(word) ?? [];
  if (whole === undefined) return word;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(direction + exponent) - fraction.length + digits.length - significant.length}`;
}
