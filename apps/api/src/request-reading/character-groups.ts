/** 32 kB of bits: a path of 8,000 characters sets about a tenth of them. */
export const FILTER_BITS = 1 << 18;
export const GROUP_MAX = 4;

/** Adds a character to the number of a group. Two groups may share a number: then the filter says "maybe" more often. */
export const withCharacter = (group: number, code: number): number =>
  (Math.imul(group ^ Math.imul(code + 1, 0x9e3779b1), 0x85ebca6b) >>> 7) & (FILTER_BITS - 1);

/** The groups of a text that a path with this text has: all of four characters, or the whole of a shorter text. */
export function characterGroups(text: string): number[] {
  const groups: number[] = [];
  const length = Math.min(text.length, GROUP_MAX);
  for (let at = 0; at + length <= text.length; at++) {
    let group = 0;
    for (let next = at; next < at + length; next++) group = withCharacter(group, text.charCodeAt(next));
    groups.push(group);
  }
  return groups;
}
