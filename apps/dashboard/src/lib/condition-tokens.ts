const TOKEN = /\s*(?:("(?:[^"\\\n]|\\.)*"|'[^'"\\\n]*')|(-?\d+(?:\.\d+)?)|([A-Za-z_]\w*|&&|[=!<>]=|[!<>.()[\],]))/y;
const NAMES_END = new Set(['contains', 'startsWith']);

type Token = { kind: 'text' | 'number' | 'sign'; value: string };

/** The words and signs of a simple condition, read from left to right. */
export class Tokens {
  private at = 0;

  private constructor(private readonly tokens: readonly Token[]) {}

  /** Null: it has something that simple conditions do not have. */
  static of(condition: string): Tokens | null {
    const tokens: Token[] = [];
    const source = condition.trim();
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < source.length) {
      const [, text, number, sign] = TOKEN.exec(source) ?? [];
      const value = text === undefined ? (number ?? sign) : unquoted(text);
      if (value === undefined || value === null) return null;
      tokens.push({ kind: text !== undefined ? 'text' : number !== undefined ? 'number' : 'sign', value });
    }
    return new Tokens(tokens);
  }

  get isAtEnd(): boolean {
    return this.at === this.tokens.length;
  }

  /** Reads all of these words and signs, or nothing. */
  take(...values: readonly string[]): boolean {
    const isNext = values.every((value, index) => {
      const token = this.tokens[this.at + index];
      return token?.kind === 'sign' && token.value === value;
    });
    if (isNext) this.at += values.length;
    return isNext;
  }

  text(): string | null {
    return this.next('text');
  }

  number(): string | null {
    return this.next('number');
  }

  /** `["a", "b"]` */
  list(): string[] | null {
    const values: string[] = [];
    if (!this.take('[')) return null;
    do {
      const value = this.text();
      if (value === null) return null;
      values.push(value);
    } while (this.take(','));
    return this.take(']') ? values : null;
  }

  /** `.a["b"].c`, up to a call. */
  names(): string[] {
    const names: string[] = [];
    for (;;) {
      const name = this.attempt(() => this.name());
      if (name === null) return names;
      names.push(name);
    }
  }

  /** Goes back if the work returns null. */
  attempt<T>(work: () => T | null): T | null {
    const before = this.at;
    const found = work();
    if (found === null) this.at = before;
    return found;
  }

  private name(): string | null {
    if (this.take('[')) {
      const name = this.text();
      return this.take(']') ? name : null;
    }
    if (!this.take('.')) return null;
    const name = this.next('sign');
    const isCall = NAMES_END.has(name ?? '') && this.tokens[this.at]?.value === '(';
    return name === null || isCall || !/^\w/.test(name) ? null : name;
  }

  private next(kind: Token['kind']): string | null {
    const token = this.tokens[this.at];
    if (token?.kind !== kind) return null;
    this.at += 1;
    return token.value;
  }
}

/** The text between quotes, or null if it has an escape that JSON does not have. */
function unquoted(quoted: string): string | null {
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null;
  }
}
