/** The spellings of numbers in a search. This file imports nothing. */

const GROUPED = /(\d)['’ \u00A0\u202F](?=\d{3}(?!\d))/g;
/** `12.500,00` and `12500,00`, as many languages write them. */
const WITH_COMMA = /(^|[^\d.,])(\d{1,3}(?:\.\d{3})+(?:,\d\d?)?|\d+,\d\d?)(?![\d.,])/g;

/** A search without what groups the digits of its numbers: `12500.00` for `12,500.00`, `12.500,00` and `12 500,00`. */
export const ungrouped = (text: string): string =>
  text
    .replace(GROUPED, '$1')
    .replace(
      WITH_COMMA,
      (_all, before: string, number: string) => before + number.replaceAll('.', '').replace(',', '.'),
    )
    .replaceAll(',', '');
