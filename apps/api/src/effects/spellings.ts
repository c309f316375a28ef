import { foldCase } from '#egress';
import { wordsOf } from './names.js';

/** Longer texts are cut, so that hostile ones cost little. */
const TEXT_MAX = 200;

/**
 * The words of a name or a value in each way in which some server reads it: as it is written, and without the case of its
 * letters. `rOle` has `r` and `ole`, or `role`. The second one may only add an effect.
 */
export function spellingsOf(text: string): string[][] {
  const [written, folded] = [wordsOf(text), wordsOf(foldLetters(text.slice(0, TEXT_MAX)))];
  return written.join('-') === folded.join('-') ? [written] : [written, folded];
}

/** One letter for all that look alike: `ｒＯｌｅ`, `rôle` and `ro\u00adle` become `role`. */
const foldLetters = (text: string): string =>
  isPlain(text) ? text.toLowerCase() : foldCase(text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, ''));
const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

/** Finds the name of a table by its letters: `ISADMIN` and `webHookUrl` have other words than `is-admin` and `webhook-url`. */
export const nameFinder = (tables: readonly Iterable<string>[]): ((words: readonly string[]) => string | undefined) => {
  const byLetters = new Map(
    tables.flatMap((names) => Array.from(names, (name) => [name.replaceAll('-', ''), name] as const)),
  );
  return (words) => byLetters.get(words.join(''));
};
