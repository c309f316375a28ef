/**
 * Compares patterns of rules: whether one fits every path that another fits, or some of them. The meaning of `*` and `**`
 * is that of the gateway (`path-glob.ts`). Patterns become machines that read a path letter by letter. Depends on nothing.
 */

/** Where a machine can be after a letter. `stay` and `skip` need no letter of the pattern. */
interface State {
  letter?: string;
  /** Any letters may come here: all, or all but a slash. */
  stay?: 'any' | 'segment';
  /** The states that are reached without a letter. */
  skip: number[];
  /** The state after `letter`. */
  next: number;
}

const WILDCARD = /(\/\*\*\/|\/\*\*$|\*\*|\*)/;
/** Stands for every letter that neither pattern names. */
const OTHER = '\u0000';
/** More pairs of states than two real patterns have. */
const STEPS_MAX = 20_000;

const machines = new Map<string, State[]>();

/** An empty pattern fits every path. The last state is the end. */
function machineOf(pattern: string): State[] {
  let states = machines.get(pattern);
  if (states === undefined) {
    states = [];
    for (const part of (pattern || '**').split(WILDCARD)) addPart(states, part);
    states.push({ skip: [], next: -1 });
    machines.set(pattern, states);
  }
  return states;
}

function addPart(states: State[], part: string): void {
  const here = states.length;
  const loop = (stay: 'any' | 'segment') => states.push({ stay, skip: [states.length + 1], next: -1 });
  if (part === '*') loop('segment');
  else if (part === '**') loop('any');
  else if (part === '/**') {
    // Nothing, or a slash and anything after it.
    states.push({ letter: '/', skip: [here + 2], next: here + 1 });
    loop('any');
  } else if (part === '/**/') {
    // A slash, then nothing, or anything up to another slash.
    states.push({ letter: '/', skip: [], next: here + 1 });
    states.push({ skip: [here + 2, here + 4], next: -1 });
    loop('any');
    states.push({ letter: '/', skip: [], next: here + 4 });
  } else for (const letter of part) states.push({ letter, skip: [], next: states.length + 1 });
}

/** The states that are reached from these without a letter. */
function settled(states: State[], from: Iterable<number>): number[] {
  const found = new Set(from);
  for (const at of found) for (const to of states[at]!.skip) found.add(to);
  return [...found].sort((one, other) => one - other);
}

function after(states: State[], from: readonly number[], letter: string): number[] {
  const reached = from.flatMap((at) => {
    const { letter: wanted, stay, next } = states[at]!;
    const stays = stay === 'any' || (stay === 'segment' && letter !== '/');
    return [...(wanted === letter ? [next] : []), ...(stays ? [at] : [])];
  });
  return settled(states, reached);
}

/** Walks both machines together. `isFound` is asked at the end of each path: whether either fits it. */
function search(one: string, other: string, isFound: (fitsOne: boolean, fitsOther: boolean) => boolean): boolean {
  const [first, second] = [machineOf(one), machineOf(other)];
  const letters = new Set([...one.replaceAll('*', ''), ...other.replaceAll('*', ''), '/', OTHER]);
  const start = [settled(first, [0]), settled(second, [0])] as const;
  const seen = new Set<string>([start.join('|')]);
  const left = [start];
  for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
    const [a, b] = pair;
    if (isFound(a.includes(first.length - 1), b.includes(second.length - 1))) return true;
    // Nobody knows then, and both callers take that for the answer that claims less.
    if (seen.size > STEPS_MAX) return true;
    for (const letter of letters) {
      const next = [after(first, a, letter), after(second, b, letter)] as const;
      const key = next.join('|');
      if (seen.has(key) || (next[0].length === 0 && next[1].length === 0)) continue;
      seen.add(key);
      left.push(next);
    }
  }
  return false;
}

/** The text before the first wildcard. `/a/**` also fits `/a`. */
const beginning = (pattern: string): string => pattern.split(WILDCARD, 1)[0]!;

/** Whether a pattern fits every path that the other fits. */
export function coversPaths(wide: string, narrow: string): boolean {
  if (wide === narrow || wide === '' || wide === '**') return true;
  // Most patterns of a service begin differently, and this is cheaper.
  if (!beginning(narrow).startsWith(beginning(wide))) return false;
  return !search(wide, narrow, (fitsWide, fitsNarrow) => fitsNarrow && !fitsWide);
}

/** Whether some path fits both. */
export const sharePaths = (one: string, other: string): boolean => search(one, other, (a, b) => a && b);
