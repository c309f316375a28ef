/** Line breaks, and everything that Unicode calls a control or a separator. */
const BREAKS = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu;
/**
 * Characters that nobody sees, or that reverse the direction of text: formats, lone surrogates, private and unassigned
 * ones, fillers.
 */
const HIDDEN =
  // eslint-disable-next-line no-misleading-character-class -- joiners and selectors are meant as single characters
  /[\p{Cf}\p{Cs}\p{Co}\p{Cn}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F\uFFA0\u{E0100}-\u{E01EF}]/gu;
const LENGTH_MAX = 300;
/**
 * A zero-width character without meaning. It keeps programs from seeing an address or a name in `example.com` or
 * `@everyone`.
 */
const JOINER = '\u2060';

/** Shows a text of somebody else on one line, without hidden characters. */
export function oneLine(text: string, max = LENGTH_MAX): string {
  const line = text.replace(HIDDEN, '').replace(BREAKS, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`;
}

/** The same, for programs that make links and mentions of plain text. */
export function unlinked(text: string, max = LENGTH_MAX): string {
  return oneLine(text, max).replace(/[.:/@#](?=\S)/gu, `$&${JOINER}`);
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
