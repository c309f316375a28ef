import { SEEN_MAX, SEEN_PART_MAX } from '#contracts/limits';
import type { RequestPart } from './request-parts.js';
import type { SeenParts } from './seen-parts.js';

interface Branch {
  parts: RequestPart[];
  members: Map<string, Branch>;
  /** Values that nobody followed are below it. */
  isCut: boolean;
}

/**
 * What was on the screen, for the record of the decision, in as few JSON pointers as possible: one for all that is below
 * it. Of a text, and of a value that was folded, the range of bytes. What does not fit is left out.
 * @param text of the body
 */
export function seenReport(seen: SeenParts, text: string): string[] {
  const root: Branch = { parts: [], members: new Map(), isCut: false };
  for (const part of seen.request.parts) branchOf(root, part.pointer).parts.push(part);
  if (seen.request.firstOther !== null) cut(root, seen.request.firstOther);
  const pointers = Array.from(root.members, ([name, branch]) => covered(seen, `/${name}`, branch)).flat();
  const bytes = pointers.includes('/body') ? [] : seenBytes(seen, text);
  return [...pointers, ...bytes].filter((part) => part.length <= SEEN_PART_MAX).slice(0, SEEN_MAX);
}

function branchOf(root: Branch, pointer: string): Branch {
  let branch = root;
  for (const name of pointer.split('/').slice(1)) {
    let member = branch.members.get(name);
    if (member === undefined) branch.members.set(name, (member = { parts: [], members: new Map(), isCut: false }));
    branch = member;
  }
  return branch;
}

/** All that contains the pointer was not followed to its end. */
function cut(root: Branch, pointer: string): void {
  let branch: Branch | undefined = root;
  for (const name of pointer.split('/').slice(1)) {
    branch = branch.members.get(name);
    if (branch === undefined) return;
    branch.isCut = true;
  }
}

function covered(seen: SeenParts, pointer: string, { parts, members, isCut }: Branch): string[] {
  const inside = Array.from(members, ([name, member]) => {
    const own = `${pointer}/${name}`;
    const found = covered(seen, own, member);
    return { found, isWhole: found.length === 1 && found[0] === own };
  });
  const isWhole = !isCut && parts.every((part) => seen.isWhole(part)) && inside.every((each) => each.isWhole);
  return isWhole ? [pointer] : inside.flatMap(({ found }) => found);
}

function seenBytes(seen: SeenParts, text: string): string[] {
  const folded = seen.request.parts.flatMap((part): [number, number][] => {
    const shown = seen.shown.get(part.id) ?? Infinity;
    // The quotation mark comes first. An escaped character takes more of the text than of the screen.
    return seen.isWhole(part) || shown === Infinity || part.span === undefined
      ? []
      : [[part.span[0], part.span[0] + 1 + shown]];
  });
  const bytes = (end: number) => new TextEncoder().encode(text.slice(0, end)).length;
  return [...folded, ...seen.ranges].map(([from, to]) => `bytes=${bytes(from)}-${bytes(to) - 1}`);
}
