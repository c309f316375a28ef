import type { Entry } from './entry.js';
import { namesOf } from './field-names.js';

/** Longer ones are not read to the end. */
const TEXT_MAX = 200_000;
const ENTRIES_MAX = 5000;
const VALUE_MAX = 200;
/** A tag, up to its first attribute. */
const TAG = /^([\p{L}_][\p{L}\p{M}\w.:-]{0,100})(?![\p{L}\w.:-])/u;
const ATTRIBUTE = /([\p{L}_][\p{L}\w.:-]{0,100})\s{0,20}=\s{0,20}(?:"([^"]{0,200})|'([^']{0,200}))/gu;
const ATTRIBUTES_MAX = 1000;

/** The elements and attributes of XML. @returns whether there is more than was read */
export function addXml(list: Entry[], text: string): boolean {
  const readable = unwrapped(text.slice(0, TEXT_MAX));
  for (const piece of readable.split('<').slice(1)) {
    const written = TAG.exec(piece)?.[1];
    if (written === undefined) continue;
    if (list.length > ENTRIES_MAX) return true;
    const end = piece.indexOf('>');
    const value = plain(end === -1 ? '' : piece.slice(end + 1, end + 1 + VALUE_MAX)).trim();
    // One without a text has others in it.
    list.push(toEntry(written, value === '' ? [written] : value, value === '' ? 0 : 1));
    const attributes = piece.slice(written.length, end === -1 ? undefined : end).slice(0, ATTRIBUTES_MAX);
    for (const [, name, one, other] of attributes.matchAll(ATTRIBUTE))
      if (!name.startsWith('xmlns')) list.push(toEntry(name, plain(one ?? other), 1));
  }
  return text.length > TEXT_MAX || DEFINES.test(readable);
}

/** Entities of its own, and another encoding, make of a text what only its reader sees. */
const DEFINES = /<!(?:entity|doctype)|<\?xml[^>]{0,200}encoding\s*=\s*["'](?!(?:utf-?8|us-ascii)["'])/i;

/** Without comments and processing instructions, which may stand in a value, and with the texts of `CDATA` as values. */
function unwrapped(text: string): string {
  const [first, ...rest] = text.split('<!--');
  const uncommented = first + rest.map((each) => each.slice(endOf(each, '-->'))).join('');
  const [before, ...sections] = uncommented.split('<![CDATA[');
  const data = sections.map((each) => {
    const [inside] = each.split(']]>', 1);
    return inside.replaceAll('<', '&lt;') + each.slice(inside.length + ']]>'.length);
  });
  return before + data.join('');
}

const endOf = (text: string, mark: string): number => (text.includes(mark) ? text.indexOf(mark) + mark.length : 0);

const NAMED = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** A text with its references to characters resolved. */
const plain = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (whole, decimal?: string, hex?: string, name = '') => {
    const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
    if (Number.isNaN(code)) return NAMED.get(name as string) ?? whole;
    return code > 0x10_ff_ff ? '' : String.fromCodePoint(code);
  });

function toEntry(written: string, value: Entry['value'], depth: number): Entry {
  const names = namesOf(written.split(':').at(-1)!);
  return { top: written, written, name: names[0], names, value, depth, isContent: false, isQuery: false, beside: [] };
}
