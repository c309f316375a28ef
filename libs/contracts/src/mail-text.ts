/** The headers of a mail that say who gets it and what it is about. This file imports nothing. */

const TOLD = new Set('from reply-to to cc bcc subject'.split(' '));
const HEADER = /^([!-9;-~]+):[ \t]*(.*)$/;
const ENCODED_WORD = /=\?([\w-]{1,40})\?([bq])\?([^?\s]{0,400})\?=/gi;

export interface MailHeader {
  /** In lower case. */
  name: string;
  /** In one line, decoded. */
  value: string;
  /** As it stands there, in one line. Only in it do quotes and commas say what they mean. */
  raw: string;
}

export interface MailText {
  /** `From`, `Reply-To`, `To`, `Cc`, `Bcc` and `Subject`, as often as they stand there. */
  headers: readonly MailHeader[];
  /** What follows the first empty line. */
  content: string;
}

/** Reads a mail (RFC 5322). null: it is none, or programs could read its headers differently. */
export function readMail(text: string): MailText | null {
  const end = /(\r?\n)\1/.exec(text);
  const head = end === null ? text : text.slice(0, end.index);
  const breaks = new Set((end === null ? head : text.slice(0, end.index + end[0].length)).match(/\r\n?|\n/g));
  if (breaks.size > 1 || breaks.has('\r')) return null;
  const found: Omit<MailHeader, 'value'>[] = [];
  for (const line of head.replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/)) {
    const [, name, raw = ''] = HEADER.exec(line) ?? [];
    if (name === undefined) return null;
    found.push({ name: name.toLowerCase(), raw: raw.trim() });
  }
  const names = new Set(found.map(({ name }) => name));
  const isMail =
    ['to', 'cc', 'bcc'].some((name) => names.has(name)) &&
    ['subject', 'from', 'mime-version'].some((name) => names.has(name));
  if (!isMail) return null;
  const headers = found
    .filter(({ name }) => TOLD.has(name))
    .map((each) => ({ ...each, value: decodedWords(each.raw) }));
  return { headers, content: end === null ? '' : text.slice(end.index + end[0].length) };
}

/** `=?utf-8?b?R3LDvMOfZQ==?=` (RFC 2047). White space between two such words says nothing. */
const decodedWords = (value: string): string =>
  value
    .replace(/(\?=)\s+(?==\?)/g, '$1')
    .replace(
      ENCODED_WORD,
      (word, charset: string, kind: string, content: string) => decodedWord(charset, kind, content) ?? word,
    );

function decodedWord(charset: string, kind: string, content: string): string | null {
  try {
    const binary =
      kind.toLowerCase() === 'b'
        ? atob(content)
        : content
            .replaceAll('_', ' ')
            .replace(/=([\da-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const BLOCKS_MAX = 50;

/** The parts of a mail that may be in base64, as its transfer encoding says: what stands between empty lines, without boundaries. */
export const blocksOf = (content: string): string[] =>
  content.split(/(?:\r?\n){2,}/, BLOCKS_MAX).map((block) => block.replace(/\r?\n--[\s\S]*$/, '').trim());
