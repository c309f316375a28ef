import { isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';
import { CaseFault } from './policy-case.js';

/** Reads parts of a YAML file, and says at which line one is wrong. */

export type Lines = Pick<LineCounter, 'linePos'>;

export const lineOf = (node: unknown, lines: Lines, otherwise = 1): number => {
  const start = (node as Node | null)?.range?.[0];
  return start === undefined ? otherwise : lines.linePos(start).line;
};

/** JSON text of a node. Numbers stay as they are written. */
export function toJson(node: unknown): string {
  if (isMap(node)) {
    return `{${node.items.map(({ key, value }) => `${JSON.stringify(keyOf(key))}:${toJson(value)}`).join(',')}}`;
  }
  if (isSeq(node)) return `[${node.items.map(toJson).join(',')}]`;
  if (!isScalar(node)) return 'null';
  const { value, source } = node;
  if (!isNumber(value)) return JSON.stringify(value) ?? 'null';
  return JSON_NUMBER.test(source ?? '') ? source! : String(value);
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const keyOf = (key: unknown): string => (isScalar(key) ? String(key.source ?? key.value) : '');

/** The fields of a map, each of which is asked for by its name. */
export class CaseFields {
  private readonly nodes = new Map<string, unknown>();

  /**
   * @param path of the map, for errors
   * @param known the names that it may have
   * @throws CaseFault
   */
  constructor(
    private readonly node: unknown,
    private readonly path: string,
    private readonly lines: Lines,
    known: readonly string[],
  ) {
    if (!isMap(node)) throw this.fault(path, 'must be an object');
    for (const { key, value } of node.items) {
      const name = keyOf(key);
      if (!known.includes(name)) {
        throw new CaseFault(lineOf(key, lines), `${this.named(name)}: is unknown; known are ${known.join(', ')}`);
      }
      this.nodes.set(name, value);
    }
  }

  has(name: string): boolean {
    return this.nodes.has(name);
  }

  /** Undefined: it is missing. */
  part(name: string): unknown {
    return this.nodes.get(name);
  }

  isNull(name: string): boolean {
    const node = this.nodes.get(name);
    return node === null || (isScalar(node) && node.value === null);
  }

  fault(name: string, what: string): CaseFault {
    const line = lineOf(this.nodes.get(name), this.lines, lineOf(this.node, this.lines));
    return new CaseFault(line, name === '' ? what : `${name === this.path ? name : this.named(name)}: ${what}`);
  }

  /** A text, or null if the field is missing. Numbers are texts, too. */
  text(name: string): string | null {
    if (!this.has(name)) return null;
    const text = scalarText(this.nodes.get(name));
    if (text === null) throw this.fault(name, 'must be a text');
    return text;
  }

  required(name: string): string {
    const text = this.text(name);
    if (text === null || text === '') throw this.fault(name, 'is missing');
    return text;
  }

  choice<T extends string>(name: string, values: readonly T[]): T {
    const text = this.required(name);
    const found = values.find((value) => value === text);
    if (found === undefined) throw this.fault(name, `must be one of ${values.join(', ')}`);
    return found;
  }

  flag(name: string): boolean {
    if (!this.has(name)) return false;
    const node = this.nodes.get(name);
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value !== 'boolean') throw this.fault(name, 'must be true or false');
    return value;
  }

  texts(name: string): string[] {
    const node = this.nodes.get(name);
    const texts = isSeq(node) ? node.items.map(scalarText) : [null];
    if (texts.includes(null)) throw this.fault(name, 'must be a list of texts');
    return texts as string[];
  }

  /** A map of texts. */
  entries(name: string): Record<string, string> {
    const node = this.nodes.get(name);
    if (!isMap(node)) throw this.fault(name, 'must be an object with texts');
    return Object.fromEntries(
      node.items.map(({ key, value }): [string, string] => {
        const text = scalarText(value);
        if (text === null) throw this.fault(name, `${keyOf(key)} must be a text`);
        return [keyOf(key), text];
      }),
    );
  }

  private named(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }
}

/** Null: it is no text and no number. */
function scalarText(node: unknown): string | null {
  if (!isScalar(node)) return null;
  if (typeof node.value === 'string') return node.value;
  return isNumber(node.value) || typeof node.value === 'boolean' ? (node.source ?? String(node.value)) : null;
}
