/** A part of a difference by lines. `skipped` stands for equal lines between changes. */
export type LinePart = { kind: 'same' | 'removed' | 'added'; text: string } | { kind: 'skipped'; count: number };

/** Equal lines that are shown around a change. */
const CONTEXT = 2;
/**
 * Comparing takes time and memory for the product of both lengths. Above this, all lines between the ends count as
 * changed.
 */
const PRODUCT_MAX = 1_000_000;

/** The lines that differ, with some equal ones around them. */
export function changedLines(before: string, after: string): LinePart[] {
  const [old, now] = [splitLines(before), splitLines(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const middle = aligned(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const equal = (lines: string[]) => lines.map((text) => ({ kind: 'same', text }) as const);
  return folded([...equal(old.slice(0, start)), ...middle, ...equal(old.slice(old.length - end))]);
}

/** An empty text has no lines. */
const splitLines = (text: string): string[] => (text === '' ? [] : text.split('\n'));

type Line = Exclude<LinePart, { kind: 'skipped' }>;

/** Aligns both lists along their longest common subsequence. */
function aligned(old: string[], now: string[]): Line[] {
  const removed = (text: string): Line => ({ kind: 'removed', text });
  const added = (text: string): Line => ({ kind: 'added', text });
  if (old.length * now.length > PRODUCT_MAX) return [...old.map(removed), ...now.map(added)];
  const width = now.length + 1;
  /** At `i * width + j`: how many lines `old` from i and `now` from j have in common. */
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i]! });
      i++;
      j++;
    } else if (j === now.length || (i < old.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      lines.push(removed(old[i++]!));
    } else {
      lines.push(added(now[j++]!));
    }
  }
  return lines;
}

function folded(lines: readonly Line[]): LinePart[] {
  const near = new Set<number>();
  lines.forEach(({ kind }, at) => {
    if (kind !== 'same') for (let each = at - CONTEXT; each <= at + CONTEXT; each++) near.add(each);
  });
  const parts: LinePart[] = [];
  lines.forEach((line, at) => {
    const last = parts.at(-1);
    if (near.has(at)) parts.push(line);
    else if (last?.kind === 'skipped') last.count += 1;
    else parts.push({ kind: 'skipped', count: 1 });
  });
  return parts;
}
