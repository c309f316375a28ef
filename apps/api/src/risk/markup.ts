/** Takes the markup out of a text in which a search would not find the words around it. */
import { plainCharacter } from './plain-text.js';

/** One of these is in every text that has markup. Looking for them is much faster. */
const SIGNS = ['<', '&#', ';', '*', '`', '~', '\n'];
const MARKUP = /<[!/a-z]|&(?:#|[a-z]\w{1,24};)|[*`~]|\n[>#/;|-]{1,3}\s/;

/** In HTML in HTML, `&amp;` stands for each ampersand. */
const REFERENCE = /&(?:(?:amp|#38|#x26);){0,9}(?:#(\d{1,7});?|#x([\da-f]{1,6});?|([a-z]\w{1,24});)/g;
/** Other names are read as what nobody sees. */
const NAMED = new Map(
  Object.entries({
    nbsp: ' ',
    lt: '<',
    gt: '>',
    amp: '&',
    quot: '"',
    apos: "'",
    num: '#',
    colon: ':',
    lowbar: '_',
    vert: '|',
    verbar: '|',
    lsqb: '[',
    rsqb: ']',
    lbrack: '[',
    rbrack: ']',
  }),
);
/** `&eacute;`, `&escr;` */
const STYLED_NAME = /^[a-z](?=(?:acute|grave|circ|uml|tilde|cedil|ring|caron|breve|macr|ogon|slash|dot|fr|scr|opf)$)/;

/** A tag or a comment. What stands in the next element does not belong to the same sentence: it may be another field. */
const TAG = /(<\/[^<>]{1,100}>\s?)?<[!/a-z][^<>]{0,1000}>/g;
/** Emphasis and code of Markdown, and what begins the lines of a quotation, a list or a comment in code. */
const MARKS = /[*`~]+|(\n)[>#/;|-]{1,3}\s/g;

export const hasMarkup = (plain: string): boolean => SIGNS.some((sign) => plain.includes(sign)) && MARKUP.test(plain);

/**
 * @param plain `searched` of a `plainText`
 * @param markup 'blank': markup separates words
 */
export function withoutMarkup(plain: string, markup: 'none' | 'blank'): string {
  const gap = markup === 'blank' ? ' ' : '';
  return plain
    .replace(REFERENCE, (_all, decimal?: string, hex?: string, name?: string) =>
      name === undefined ? numbered(Number(decimal ?? `0x${hex}`)) || gap : (named(name) ?? gap),
    )
    .replace(TAG, (_all, closing?: string) => (closing === undefined ? gap : '|'))
    .replace(MARKS, (_all, lineBreak?: string) => lineBreak ?? gap)
    .replace(/\s+(?=\s)/g, '');
}

const numbered = (point: number): string => (point > 0x10ffff ? '' : plainCharacter(point));

const named = (name: string): string | undefined => NAMED.get(name) ?? STYLED_NAME.exec(name)?.[0];
