import { JSON_MAX_DEPTH } from '#contracts/limits';
import { VALUES_MAX } from '../platform/http/bounded-json.js';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import { foldedName } from './folded-name.js';

/** Integer literals are `bigint`, all other numbers `number`. Objects have no prototype. */
export type JsonValue = null | boolean | string | number | bigint | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

export type ExactJson = { value: JsonValue } | { fault: string };

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const INTEGER = /^-?\d+$/;
const [INT64_MIN, INT64_MAX] = [-(2n ** 63n), 2n ** 63n - 1n];
/** An escape, or a character that JSON does not allow as it is. */

const NOT_PLAIN = /[\\\x00-\x1f]/;
const LOWER_CASE = /^[a-z0-9_]*$/;
const [QUOTE, BACKSLASH, COMMA, COLON] = Array.from('"\\,:', (each) => each.charCodeAt(0));
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = Array.from('{}[]', (each) => each.charCodeAt(0));
const [LETTER_T, LETTER_F, LETTER_N] = Array.from('tfn', (each) => each.charCodeAt(0));
/** Up to here, a search in a list is faster than a set. */
const LISTED_MAX = 16;

class Fault extends Error {}

/**
 * Reads JSON of which all readers take the same from it, or says why the text is none: a key twice in any letter case, a
 * number that no common type holds, half of a character, NUL, more than one value. The grammar is that of RFC 8259,
 * without comments or other extensions.
 */
export const exactJson = (text: string): ExactJson => atOnce(exactJsonSteps(text));

/** The same in short steps, so that others can be served in between. */
export function* exactJsonSteps(text: string): ShortSteps<ExactJson> {
  if (!text.isWellFormed()) return { fault: 'it has half of a character' };
  const reader = new Reader(text);
  try {
    for (;;) {
      const value = reader.read(VALUES_PER_STEP);
      if (value !== undefined) return { value };
      yield;
    }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    throw error;
  }
}

/** They take about 0.2 ms. */
const VALUES_PER_STEP = 500;

/** An object or a list that is not closed yet. */
interface Container {
  value: JsonObject | JsonValue[];
  /** Null: it is a list. */
  names: Names | null;
  /** The name of the value that comes next. */
  name: string;
}

class Reader {
  private at = 0;
  private count = 0;
  private readonly open: Container[] = [];
  /** Items of a list mostly have the same keys. */
  private readonly folded = new Map<string, string>();

  constructor(private readonly text: string) {}

  /** Reads at most this many values more. @returns undefined if there are others */
  read(most: number): JsonValue | undefined {
    for (let left = most; left > 0; left--) {
      // 1 MB of `[],` would become 30 MB of objects.
      if (++this.count > VALUES_MAX) throw new Fault(`it has more than ${VALUES_MAX} values`);
      let value = this.begin();
      while (value !== undefined) {
        const container = this.open.at(-1);
        if (container === undefined) return this.ended(value);
        if (Array.isArray(container.value)) container.value.push(value);
        else container.value[container.name] = value;
        value = this.goesOn(container) ? undefined : this.close();
      }
    }
    return undefined;
  }

  /** @returns undefined if it is an object or a list that has values */
  private begin(): JsonValue | undefined {
    switch (this.next()) {
      case OPEN_BRACE:
        return this.begun({ value: Object.create(null) as JsonObject, names: new Names(), name: '' }, CLOSE_BRACE);
      case OPEN_BRACKET:
        return this.begun({ value: [], names: null, name: '' }, CLOSE_BRACKET);
      case QUOTE:
        return this.string();
      case LETTER_T:
        return this.word('true', true);
      case LETTER_F:
        return this.word('false', false);
      case LETTER_N:
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private begun(container: Container, bracket: number): JsonValue | undefined {
    if (this.open.length === JSON_MAX_DEPTH) throw new Fault(`it is nested deeper than ${JSON_MAX_DEPTH} levels`);
    this.at++;
    if (this.next() === bracket) {
      this.at++;
      return container.value;
    }
    this.open.push(container);
    this.readName(container);
    return undefined;
  }

  /** Reads a comma, or the bracket at the end. */
  private goesOn(container: Container): boolean {
    const mark = this.next();
    if (mark !== COMMA && mark !== (container.names === null ? CLOSE_BRACKET : CLOSE_BRACE)) throw this.malformed();
    this.at++;
    if (mark !== COMMA) return false;
    this.readName(container);
    return true;
  }

  private close(): JsonValue {
    return this.open.pop()!.value;
  }

  private readName(container: Container): void {
    if (container.names === null) return;
    if (this.next() !== QUOTE) throw this.malformed();
    const name = this.string();
    // Some servers write the body by it into the prototype of their objects.
    if (name === '__proto__') throw new Fault('it has the key __proto__');
    if (!container.names.add(this.fold(name))) {
      throw new Fault(`it has the key ${JSON.stringify(shortened(name))} twice`);
    }
    if (this.next() !== COLON) throw this.malformed();
    this.at++;
    container.name = name;
  }

  private ended(value: JsonValue): JsonValue {
    if (!Number.isNaN(this.next())) throw this.malformed();
    return value;
  }

  /** Begins at the quotation mark. */
  private string(): string {
    const start = this.at;
    let end = this.text.indexOf('"', start + 1);
    if (this.text.charCodeAt(end - 1) === BACKSLASH) end = this.endAfterEscapes(start + 1);
    if (end === -1) throw this.malformed();
    this.at = end + 1;
    const plain = this.text.slice(start + 1, end);
    return NOT_PLAIN.test(plain) ? this.unescaped(this.text.slice(start, end + 1)) : plain;
  }

  private endAfterEscapes(from: number): number {
    for (let at = from; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at);
      if (code === QUOTE) return at;
      if (code === BACKSLASH) at++;
    }
    return -1;
  }

  private unescaped(quoted: string): string {
    let text: unknown;
    try {
      text = JSON.parse(quoted);
    } catch {
      throw this.malformed();
    }
    if (typeof text !== 'string') throw this.malformed();
    if (text.includes('\0')) throw new Fault('it has a NUL character');
    if (!text.isWellFormed()) throw new Fault('it has half of a character');
    return text;
  }

  private number(): number | bigint {
    NUMBER.lastIndex = this.at;
    if (!NUMBER.test(this.text)) throw this.malformed();
    const text = this.text.slice(this.at, NUMBER.lastIndex);
    this.at = NUMBER.lastIndex;
    if (INTEGER.test(text)) return toInteger(text);
    const number = Number(text);
    if (!Number.isFinite(number)) throw new Fault('it has a number that is too large');
    return number;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.malformed();
    this.at += word.length;
    return value;
  }

  /** Skips blanks. @returns the code of the next character, or NaN */
  private next(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.at++;
    }
  }

  private fold(name: string): string {
    if (LOWER_CASE.test(name)) return name;
    let folded = this.folded.get(name);
    if (folded === undefined) this.folded.set(name, (folded = foldedName(name)));
    return folded;
  }

  private malformed(): Fault {
    return new Fault(`it is no JSON at character ${Math.min(this.at, this.text.length) + 1}`);
  }
}

/** The names in one object. */
class Names {
  private readonly list: string[] = [];
  private set: Set<string> | null = null;

  /** @returns false if it is there already */
  add(name: string): boolean {
    if (this.set === null && this.list.length === LISTED_MAX) this.set = new Set(this.list);
    if (this.set !== null) return this.set.size < this.set.add(name).size;
    if (this.list.includes(name)) return false;
    this.list.push(name);
    return true;
  }
}

function toInteger(text: string): bigint {
  if (text.length < 16) return BigInt(Number(text));
  // Reading a long one takes time that is quadratic in its length.
  const integer = text.length > 20 ? INT64_MAX + 1n : BigInt(text);
  if (integer < INT64_MIN || integer > INT64_MAX) throw new Fault('it has an integer of more than 64 bits');
  return integer;
}

const shortened = (name: string): string => (name.length > 40 ? `${name.slice(0, 40)}…` : name);
