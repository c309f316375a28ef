import { JSON_MAX_DEPTH } from '#contracts/limits';
import { VALUES_MAX } from '../platform/http/bounded-json.js';
import { hasMoreValues } from '../platform/http/safe-json.mjs';
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
export function exactJson(text: string): ExactJson {
  if (!text.isWellFormed()) return { fault: 'it has half of a character' };
  // 1 MB of `[],` would become 30 MB of objects. A shorter text can't have more values.
  if (text.length > VALUES_MAX && hasMoreValues(Buffer.from(text), VALUES_MAX)) {
    return { fault: `it has more than ${VALUES_MAX} values` };
  }
  const reader = new Reader(text);
  try {
    return { value: reader.whole() };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    throw error;
  }
}

class Reader {
  private at = 0;
  /** Items of a list mostly have the same keys. */
  private readonly folded = new Map<string, string>();

  constructor(private readonly text: string) {}

  whole(): JsonValue {
    const value = this.value(1);
    if (!Number.isNaN(this.next())) throw this.malformed();
    return value;
  }

  private value(depth: number): JsonValue {
    switch (this.next()) {
      case OPEN_BRACE:
        return this.object(depth);
      case OPEN_BRACKET:
        return this.array(depth);
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

  private object(depth: number): JsonObject {
    const object = Object.create(null) as JsonObject;
    const names = new Names();
    this.open(depth);
    if (this.closes(CLOSE_BRACE)) return object;
    do {
      if (this.next() !== QUOTE) throw this.malformed();
      const name = this.string();
      // Some servers write the body by it into the prototype of their objects.
      if (name === '__proto__') throw new Fault('it has the key __proto__');
      if (!names.add(this.fold(name))) throw new Fault(`it has the key ${JSON.stringify(shortened(name))} twice`);
      if (this.next() !== COLON) throw this.malformed();
      this.at++;
      object[name] = this.value(depth + 1);
    } while (this.goesOn(CLOSE_BRACE));
    return object;
  }

  private array(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    this.open(depth);
    if (this.closes(CLOSE_BRACKET)) return items;
    do items.push(this.value(depth + 1));
    while (this.goesOn(CLOSE_BRACKET));
    return items;
  }

  private open(depth: number): void {
    if (depth > JSON_MAX_DEPTH) throw new Fault(`it is nested deeper than ${JSON_MAX_DEPTH} levels`);
    this.at++;
  }

  private closes(bracket: number): boolean {
    if (this.next() !== bracket) return false;
    this.at++;
    return true;
  }

  private goesOn(bracket: number): boolean {
    const mark = this.next();
    if (mark !== COMMA && mark !== bracket) throw this.malformed();
    this.at++;
    return mark === COMMA;
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
