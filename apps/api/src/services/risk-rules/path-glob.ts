import { groupsOf } from './character-groups.js';

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
    this.groups = [...new Set(tokens.flatMap((token) => (typeof token === 'string' ? groupsOf(token) : [])))];
  }

  /**
   * Matches a path. It backtracks only to the last `*` and the last `**`: the earliest match of the text after a
   * wildcard leaves the most room for the rest. So the time is linear in the length of the path. Also returns false
   * when the effort is used up.
   */
  matches(path: string, effort: Effort): boolean {
    const { tokens } = this;
    let token = 0;
    let at = 0;
    /** The token after the last `*`, the position where it was last tried, and the end of the segment. */
    let star = -1;
    let starAt = 0;
    let starEnd = 0;
    /** The same for `**`. */
    let wide = -1;
    let wideAt = 0;
    for (;;) {
      const current = tokens[token];
      effort.left -= 1;
      if (typeof current === 'string') {
        effort.left -= current.length >> 5;
        if (path.startsWith(current, at)) {
          at += current.length;
          token += 1;
          continue;
        }
      } else if (current === STAR) {
        star = token += 1;
        starAt = at;
        starEnd = path.indexOf('/', at);
        if (starEnd === -1) starEnd = path.length;
        effort.left -= (starEnd - at) >> 2;
        continue;
      } else if (current === GLOBSTAR || current === SEGMENTS) {
        wide = token += 1;
        wideAt = at;
        star = -1;
        if (current === GLOBSTAR && token === tokens.length) return true;
        continue;
      } else if (at === path.length || (current === TAIL && path[at] === '/')) return true;

      // No match at this position.
      if (effort.left < 0) return false;
      if (star !== -1) {
        const before = starAt;
        starAt = this.nextAfterStar(path, star, starAt, starEnd);
        if (starAt !== -1) {
          effort.left -= (starAt - before) >> 2;
          at = starAt;
          token = star;
          continue;
        }
      }
      if (wide === -1) return false;
      const before = wideAt;
      wideAt = this.nextAfterWide(path, wide, wideAt, star !== -1);
      if (wideAt === -1) {
        effort.left -= (path.length - before) >> 2;
        return false;
      }
      effort.left -= (wideAt - before) >> 2;
      at = wideAt;
      token = wide;
      star = -1;
    }
  }

  private nextAfterStar(path: string, token: number, at: number, end: number): number {
    if (at >= end) return -1;
    const next = this.tokens[token];
    if (typeof next !== 'string') return end;
    const found = path.indexOf(next, at + 1);
    return found > end ? -1 : found;
  }

  /** @param hopeless a `*` reached the end of its segment, so a later start in the same segment can't match either */
  private nextAfterWide(path: string, token: number, at: number, hopeless: boolean): number {
    const next = this.tokens[token];
    if (this.tokens[token - 1] === SEGMENTS) {
      return path.indexOf(typeof next === 'string' ? `/${next}` : '/', at) + 1 || -1;
    }
    const slash = path.indexOf('/', at);
    if (at === path.length || (hopeless && slash === -1)) return -1;
    const from = hopeless ? Math.max(slash, at + 1) : at + 1;
    return typeof next === 'string' ? path.indexOf(next, from) : from;
  }
}

/** @param pattern an empty pattern matches every path */
export const globMatches = (pattern: string, path: string): boolean =>
  pattern === '' || new PathGlob(pattern).matches(path, { left: Infinity });
