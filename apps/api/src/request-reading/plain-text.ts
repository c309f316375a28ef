import { visible } from './title-words.js';

/** Longer texts are no line. */
const READ_MAX = 1000;
/** What Markdown and HTML add to a text, with what stays of it. */
const MARKUP: readonly [RegExp, string][] = [
  [/<\/?[a-z][a-z\d]{0,19}(?:\s[^<>]{0,200})?\/?>/gi, ' '],
  [/!?\[([^[\]]{0,200})\](?:\([^()\s]{0,500}\)|\[[^[\]]{0,100}\])/g, '$1'],
  [/^\s{0,3}(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+/gm, ''],
  [/`{1,3}([^`]{1,200})`{1,3}/g, '$1'],
  [/(?<!\\)(\*\*\*?|~~)(\S(?:[^*~]{0,200}\S)?)\1/g, '$2'],
  // `snake_case_name` and `2 * 3 * 4` are no emphasis.
  [/(?<![\w*\\])(\*|__?)([^\s*_](?:[^*_]{0,200}[^\s*_])?)\1(?![\w*])/g, '$2'],
  [/\\([\\`*_{}[\]()#+.!~>-])/g, '$1'],
];

const MAY_BE_MARKUP = /[*_`~[<#>\\+)-]/;

/** A text of documentation as one line without Markdown, for where it stands as plain text. */
export function plainText(text: string): string {
  const start = text.slice(0, READ_MAX);
  // Most have none.
  const plain = MAY_BE_MARKUP.test(start)
    ? MARKUP.reduce((rest, [markup, kept]) => rest.replace(markup, kept), start)
    : start;
  return visible(plain.replace(/\s/g, ' '));
}

/** The same with a capital: "delete a pod" is "Delete a pod". A name such as `eBay` or `listUsers` stays as it is. */
export function plainSentence(text: string): string {
  const plain = plainText(text);
  return /^\p{Ll}+(?:[\s,:;]|\.?$)/u.test(plain) ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain;
}
