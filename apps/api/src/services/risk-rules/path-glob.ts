/**
 * Globs over paths: `*` stands for anything within a segment, `**` for anything. `/a/**` covers `/a` too, and `/a/**` + `/b`
 * covers `/a/b`. All states are followed at once instead of backtracking, so that no path costs more than its length times
 * the pattern's.
 */
const STAR = 1;
const GLOBSTAR = 2;
/** `/**` + `/` after its first slash: nothing, or any segments and their slash. */
const SEGMENTS = 3;
/** The inside of `SEGMENTS`: left after a slash only. */
const INSIDE = 4;
/** `/**` at the end: nothing, or a slash and anything. */
const TAIL = 5;

type Token = string | typeof STAR | typeof GLOBSTAR | typeof SEGMENTS | typeof INSIDE | typeof TAIL;

/** @param pattern empty: every path */
export function globMatches(pattern: string, path: string): boolean {
  if (pattern === '') return true;
  const wildcard = pattern.indexOf('*');
  if (wildcard === -1) return pattern === path;
  // Most paths are told apart before the first wildcard; a slash before it may belong to `/**`.
  const literal = pattern[wildcard - 1] === '/' ? wildcard - 1 : wildcard;
  if (!path.startsWith(pattern.slice(0, literal))) return false;
  return run(tokenize(pattern.slice(literal)), path.slice(literal));
}

function tokenize(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length;) {
    if (pattern.startsWith('/**/', at)) {
      tokens.push('/', SEGMENTS, INSIDE);
      at += 4;
    } else if (pattern.startsWith('/**', at) && at + 3 === pattern.length) {
      tokens.push(TAIL, GLOBSTAR);
      at += 3;
    } else if (pattern.startsWith('**', at)) {
      tokens.push(GLOBSTAR);
      at += 2;
    } else {
      tokens.push(pattern[at] === '*' ? STAR : pattern[at]);
      at += 1;
    }
  }
  return tokens;
}

function run(tokens: readonly Token[], path: string): boolean {
  const end = tokens.length;
  let states = new Uint8Array(end + 1);
  let next = new Uint8Array(end + 1);
  enter(tokens, states, 0);
  for (let at = 0; at < path.length; at++) {
    const char = path[at];
    next.fill(0);
    for (let state = 0; state < end; state++) {
      if (!states[state]) continue;
      const token = tokens[state];
      if (token === char || (token === TAIL && char === '/')) enter(tokens, next, state + 1);
      else if (token === GLOBSTAR || (token === STAR && char !== '/')) enter(tokens, next, state);
      else if (token === INSIDE) {
        next[state] = 1;
        if (char === '/') enter(tokens, next, state + 1);
      }
    }
    [states, next] = [next, states];
  }
  return states[end] === 1;
}

/** Marks a state and those that it leads to without a character. */
function enter(tokens: readonly Token[], states: Uint8Array, state: number): void {
  if (states[state]) return;
  states[state] = 1;
  const token = tokens[state];
  if (token === STAR || token === GLOBSTAR) enter(tokens, states, state + 1);
  else if (token === TAIL) states[tokens.length] = 1;
  else if (token === SEGMENTS) {
    states[state + 1] = 1;
    enter(tokens, states, state + 2);
  }
}
