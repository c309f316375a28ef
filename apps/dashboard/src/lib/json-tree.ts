/**
 * A JSON parser that keeps what `JSON.parse` loses: duplicate keys and the exact digits of numbers, which an approver
 * must see, and where each value is in the text (`span`: from, to), so that one can be changed alone. It is strict. A
 * body that it cannot parse is shown as text.
 */
export type JsonNode = { span: [number, number] } & (
  | { kind: 'object'; entries: { key: string; value: JsonNode; repeated: boolean }[] }
  | { kind: 'array'; items: JsonNode[] }
  | { kind: 'string' | 'number' | 'literal'; value: string }
);

const MAX_DEPTH = 200;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const LITERAL = /true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

class NotJson extends Error {}

/** null if the text is not a JSON object or array. */
export function readJson(text: string): JsonNode | null {
  const reader = new Reader(text);
  try {
    const node = reader.value(0);
    return reader.atEnd() && (node.kind === 'object' || node.kind === 'array') ? node : null;
  } catch (error) {
    if (error instanceof NotJson) return null;
    throw error;
  }
}

/** The number of lines when all branches are open. */
export function countNodes(node: JsonNode): number {
  const children =
    node.kind === 'object' ? node.entries.map(({ value }) => value) : node.kind === 'array' ? node.items : [];
  return children.reduce((sum, child) => sum + countNodes(child), 1);
}

class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw new NotJson();
    this.take(SPACE);
    const character = this.text[this.at];
    if (character === '{') return this.object(depth);
    if (character === '[') return this.array(depth);
    const start = this.at;
    if (character === '"') return { kind: 'string', value: this.string(), span: [start, this.at] };
    const literal = this.take(LITERAL);
    if (literal) return { kind: 'literal', value: literal, span: [start, this.at] };
    const number = this.take(NUMBER);
    if (number) return { kind: 'number', value: number, span: [start, this.at] };
    throw new NotJson();
  }

  atEnd(): boolean {
    this.take(SPACE);
    return this.at === this.text.length;
  }

  private object(depth: number): JsonNode {
    const start = this.at;
    const entries: { key: string; value: JsonNode; repeated: boolean }[] = [];
    const seen = new Set<string>();
    this.sequence('}', () => {
      const key = this.string();
      this.take(SPACE);
      this.expect(':');
      entries.push({ key, value: this.value(depth + 1), repeated: seen.has(key) });
      seen.add(key);
    });
    return { kind: 'object', entries, span: [start, this.at] };
  }

  private array(depth: number): JsonNode {
    const start = this.at;
    const items: JsonNode[] = [];
    this.sequence(']', () => items.push(this.value(depth + 1)));
    return { kind: 'array', items, span: [start, this.at] };
  }

  private sequence(close: string, member: () => void): void {
    this.at += 1;
    this.take(SPACE);
    if (this.text[this.at] === close) {
      this.at += 1;
      return;
    }
    for (;;) {
      this.take(SPACE);
      member();
      this.take(SPACE);
      if (this.text[this.at] === close) {
        this.at += 1;
        return;
      }
      this.expect(',');
    }
  }

  private string(): string {
    const raw = this.take(STRING);
    if (!raw) throw new NotJson();
    return JSON.parse(raw) as string;
  }

  private expect(character: string): void {
    if (this.text[this.at] !== character) throw new NotJson();
    this.at += 1;
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const taken = pattern.exec(this.text)?.[0] ?? '';
    this.at += taken.length;
    return taken;
  }
}

/** True if any object in the tree has a duplicate key. Parsers disagree about its value. */
export function hasRepeatedKeys(node: JsonNode): boolean {
  if (node.kind === 'object') return node.entries.some((entry) => entry.repeated || hasRepeatedKeys(entry.value));
  return node.kind === 'array' && node.items.some(hasRepeatedKeys);
}
