/** Invisible characters, and those that reverse text direction: a request must not be able to rewrite its title. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

export const visible = (text: string): string => text.replace(UNSAFE, '').replace(/\s+/g, ' ').trim();

/** Quotes a part that has blanks, quotes or our own separator: no part may read like words of the title. */
export function spoken(text: string, max: number): string {
  const shown = shorten(visible(text), max);
  return /[\s"“”·]/.test(shown) ? `“${shown.replace(/[“”"]/g, "'")}”` : shown;
}

/** Keeps the start and the end. */
export function shorten(text: string, max: number): string {
  const characters = Array.from(text);
  if (characters.length <= max) return text;
  const head = Math.ceil((max - 1) / 2);
  return `${characters.slice(0, head).join('')}…${characters.slice(head + 1 - max).join('')}`;
}
