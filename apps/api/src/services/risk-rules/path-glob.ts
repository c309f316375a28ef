/**
 * Globs over paths: `*` stands for anything within a segment, `**` for anything. `/a/**` covers `/a` too, and `/a/**` + `/b`
 * covers `/a/b`.
 */
const STAR = 1;
const GLOBSTAR = 2;
/** `/**` + `/` after its first slash: nothing, or any segments and their slash. */
const SEGMENTS = 3;
/** `/**` at the end: nothing, or a slash and anything. */
const TAIL = 4;

type Token = string | typeof STAR | typeof GLOBSTAR | typeof SEGMENTS | typeof TAIL;

/** Work that may still be done, in steps of some 20 ns: one of a comparison, or four characters searched. A match that used it up says nothing. */
export interface Effort {
  left: number;
}

const WILDCARD = /(\/\*\*\/|\/\*\*$|\*\*|\*)/;

/** How many wildcards a pattern has; `**` is one. */
export const wildcardsIn = (pattern: string): number => pattern.match(/\*\*?/g)?.length ?? 0;

/** A pattern, taken apart once. */
export class PathGlob {
  private readonly tokens: readonly Token[];

  /** @param spell what becomes of the text between wildcards */
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
  }

  /**
   * Goes back to the last `*` and the last `**` only: the earliest place that fits the text after one leaves the most room for
   * the rest. So the time grows with the path, not with its square. False as well when the effort is used up.
   */
  matches(path: string, effort: Effort): boolean {
    const { tokens } = this;
    let token = 0;
    let at = 0;
    /** The token after the last `*`, where that began to be tried, and the end of the segment. */
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

      // It does not fit here.
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

  /** @param hopeless a `*` came to the end of its segment: no later beginning in the same segment fares better */
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

/** @param pattern empty: every path */
export const globMatches = (pattern: string, path: string): boolean =>
  pattern === '' || new PathGlob(pattern).matches(path, { left: Infinity });
