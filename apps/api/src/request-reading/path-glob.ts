import { characterGroups } from './character-groups.js';

/**
 * Globs for paths: `*` matches anything within a segment, `**` matches anything. `/a/**` also matches `/a`, and `/a/**`
 * + `/b` also matches `/a/b`.
 */
const STAR = 1;
const GLOBSTAR = 2;
/** `/**` + `/`, without its first slash: matches nothing, or any segments with their slashes. */
const SEGMENTS = 3;
/** `/**` at the end: matches nothing, or a slash and anything after it. */
const TAIL = 4;

type Token = string | typeof STAR | typeof GLOBSTAR | typeof SEGMENTS | typeof TAIL;

/**
 * The remaining work budget, in steps of about 20 ns. A step is one comparison, or a search over four characters. The
 * result of a match that used up the budget is meaningless.
 */
export interface Effort {
  left: number;
}

const WILDCARD = /(\/\*\*\/|\/\*\*$|\*\*|\*)/;

/** Counts the wildcards of a pattern. `**` counts as one. */
export const wildcardsIn = (pattern: string): number => pattern.match(/\*\*?/g)?.length ?? 0;

/** A pattern that is parsed once. */
export class PathGlob {
  private readonly tokens: readonly Token[];
  /** Groups of characters that every matching path has (`PathReading`). */
  readonly groups: readonly number[];

  /** @param spell converts the text between wildcards */
  constructor(pattern: string, spell: (literal: string) => string = (literal) => literal) {
    const tokens: Token[] = [];
    const addLiteral = (text: string): void => {
      const last = tokens.at(-1);
      if (typeof last === 'string') tokens[tokens.length - 1] = last + text;
      else if (text !== '') tokens.push(text);
    };
    for (const part of pattern.split(WILDCARD)) {
      if (part === '*') tokens.push(STAR);
      else if (part === '**') tokens.push(GLOBSTAR);
      else if (part === '/**') tokens.push(TAIL);
      else if (part === '/**/') {
        addLiteral('/');
        tokens.push(SEGMENTS);
      } else addLiteral(spell(part));
    }
    this.tokens = tokens;
    this.groups = [...new Set(tokens.flatMap((token) => (typeof token === 'string' ? characterGroups(token) : [])))];
  }

  /** Also returns false when the effort is used up. */
  matches(path: string, effort: Effort): boolean {
    return new Search(this.tokens, path, effort).run();
  }
}

/**
 * The search for one path. It backtracks only to the last `*` and the last `**`: the earliest match of the text after a
 * wildcard leaves the most room for the rest. So the time is linear in the length of the path.
 */
class Search {
  private token = 0;
  private at = 0;
  /** The token after the last `*`, the position where it was last tried, and the end of the segment. */
  private star = -1;
  private starAt = 0;
  private starEnd = 0;
  /** The same for `**`. */
  private wide = -1;
  private wideAt = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly path: string,
    private readonly effort: Effort,
  ) {}

  run(): boolean {
    for (;;) {
      const reached = this.step();
      if (reached === 'end') return true;
      if (reached === 'next') continue;
      if (this.effort.left < 0 || !(this.retryStar() || this.retryWide())) return false;
    }
  }

  /** Matches one token here. */
  private step(): 'next' | 'end' | 'nothing' {
    const { path, at, tokens } = this;
    const current = tokens[this.token];
    this.effort.left -= 1;
    if (typeof current === 'string') {
      this.effort.left -= current.length >> 5;
      if (!path.startsWith(current, at)) return 'nothing';
      this.at += current.length;
      this.token += 1;
      return 'next';
    }
    if (current === STAR) {
      const end = path.indexOf('/', at);
      this.star = this.token += 1;
      this.starAt = at;
      this.starEnd = end === -1 ? path.length : end;
      this.effort.left -= (this.starEnd - at) >> 2;
      return 'next';
    }
    if (current === GLOBSTAR || current === SEGMENTS) {
      this.wide = this.token += 1;
      this.wideAt = at;
      this.star = -1;
      return current === GLOBSTAR && this.token === tokens.length ? 'end' : 'next';
    }
    return at === path.length || (current === TAIL && path[at] === '/') ? 'end' : 'nothing';
  }

  /** Goes on where the text after the last `*` occurs next. */
  private retryStar(): boolean {
    if (this.star === -1) return false;
    const before = this.starAt;
    this.starAt = this.nextAfterStar();
    if (this.starAt === -1) return false;
    this.effort.left -= (this.starAt - before) >> 2;
    this.at = this.starAt;
    this.token = this.star;
    return true;
  }

  /** Goes on where the text after the last `**` occurs next. */
  private retryWide(): boolean {
    if (this.wide === -1) return false;
    const before = this.wideAt;
    this.wideAt = this.nextAfterWide();
    this.effort.left -= ((this.wideAt === -1 ? this.path.length : this.wideAt) - before) >> 2;
    if (this.wideAt === -1) return false;
    this.at = this.wideAt;
    this.token = this.wide;
    this.star = -1;
    return true;
  }

  private nextAfterStar(): number {
    if (this.starAt >= this.starEnd) return -1;
    const next = this.tokens[this.star];
    if (typeof next !== 'string') return this.starEnd;
    const found = this.path.indexOf(next, this.starAt + 1);
    return found > this.starEnd ? -1 : found;
  }

  private nextAfterWide(): number {
    const { path, wideAt: at } = this;
    const next = this.tokens[this.wide];
    if (this.tokens[this.wide - 1] === SEGMENTS) {
      return path.indexOf(typeof next === 'string' ? `/${next}` : '/', at) + 1 || -1;
    }
    // A `*` reached the end of its segment, so a later start in the same segment can't match either.
    const hopeless = this.star !== -1;
    const slash = path.indexOf('/', at);
    if (at === path.length || (hopeless && slash === -1)) return -1;
    const from = hopeless ? Math.max(slash, at + 1) : at + 1;
    return typeof next === 'string' ? path.indexOf(next, from) : from;
  }
}

/** @param pattern an empty pattern matches every path */
export const globMatches = (pattern: string, path: string): boolean =>
  pattern === '' || new PathGlob(pattern).matches(path, { left: Infinity });
