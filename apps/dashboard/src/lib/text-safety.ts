/**
 * Finds characters that an approver would not see or would misread: invisible characters, characters that reverse text
 * direction, and letters that look like Latin ones. All text from agents and upstreams passes through here before it is
 * shown.
 */
type Suspicion = 'hidden' | 'direction' | 'lookalike';

interface TextPiece {
  text: string;
  suspicion: Suspicion | null;
}

const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const HIDDEN =
  // eslint-disable-next-line no-misleading-character-class -- joiners and selectors are meant as single characters
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200D\u2028\u2029\u2060-\u2065\u206A-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{E0000}-\u{E0FFF}\p{Co}\p{Cs}]/u;
/** Fullwidth Latin, mathematical alphabets and enclosed letters. Ordinary text does not use these forms. */
const STYLED = /[\uFF01-\uFF5E\u2460-\u24FF\u{1D400}-\u{1D7FF}\u{1F130}-\u{1F189}]/u;
const NON_ASCII_OR_CONTROL = /[^\t\n\r\x20-\x7E]/;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /\p{Script=Latin}/u;
const CONFUSABLE =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;

/** Joiners and variation selectors inside an emoji are legitimate. */
const EMOJI =
  /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*|[0-9#*]\uFE0F\u20E3/gu;

/** Splits the text into pieces. Each suspicious character is a separate piece. No text is lost. */
export function examine(text: string): TextPiece[] {
  if (!NON_ASCII_OR_CONTROL.test(text)) return text === '' ? [] : [{ text, suspicion: null }];
  const innocent = new Set<number>();
  for (const match of text.matchAll(EMOJI)) {
    for (let at = match.index; at < match.index + match[0].length; at++) innocent.add(at);
  }
  const mixed = new Set<number>();
  for (const word of text.matchAll(WORD)) {
    if (!LATIN.test(word[0]) || !CONFUSABLE.test(word[0])) continue;
    let at = word.index;
    for (const character of word[0]) {
      if (CONFUSABLE.test(character)) mixed.add(at);
      at += character.length;
    }
  }
  const pieces: TextPiece[] = [];
  let at = 0;
  for (const character of text) {
    const suspicion = innocent.has(at) ? null : mixed.has(at) ? 'lookalike' : findSuspicion(character);
    const last = pieces.at(-1);
    if (suspicion === null && last?.suspicion === null) last.text += character;
    else pieces.push({ text: character, suspicion });
    at += character.length;
  }
  return pieces;
}

function findSuspicion(character: string): Suspicion | null {
  if (DIRECTION.test(character)) return 'direction';
  if (HIDDEN.test(character)) return 'hidden';
  if (STYLED.test(character)) return 'lookalike';
  return null;
}

/** The name of an invisible character: `U+200B`. */
export const codePoint = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

export type SuspicionCounts = Record<Suspicion, number>;

/** Counts each kind in several texts. */
export function countSuspicions(texts: readonly string[]): SuspicionCounts {
  const counts: SuspicionCounts = { hidden: 0, direction: 0, lookalike: 0 };
  for (const text of texts) {
    if (!NON_ASCII_OR_CONTROL.test(text)) continue;
    for (const { suspicion } of examine(text)) if (suspicion) counts[suspicion] += 1;
  }
  return counts;
}

/** Plain text with suspicious characters spelled out, for places that accept only strings, such as titles. */
export const spelledOut = (text: string): string =>
  examine(text)
    .map((piece) =>
      piece.suspicion === 'hidden' || piece.suspicion === 'direction' ? `⟦${codePoint(piece.text)}⟧` : piece.text,
    )
    .join('');
