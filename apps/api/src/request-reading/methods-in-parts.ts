import { isLikeAscii } from '../egress/charsets.js';
import { latin1Decoded } from '../platform/percent-decoding.mjs';

/**
 * From the first header that names a part to the end of its head: Rack finds the header anywhere, and its name on any
 * later line. Without a disposition, Rack takes the `Content-ID` for the name.
 */
const NAMING = /content-(?:disposition|id)[^]*?(?=\r\n\r\n|$)/gi;
/**
 * Names of a method: `_method`, also as PHP takes them (`.method`, `[method`), Salesforce's `_HttpMethod`, Google's
 * `$httpMethod`, and headers that ASP.NET reads in forms too. Only letters and signs, groups and alternatives.
 */
export const METHOD_NAMES = '(?:(?:_|.|[)(?:http)?method|$httpmethod|x-(?:http-)?method(?:-override)?)';
/** What precedes a name that may be one of them, as it is or encoded. */
const BEFORE_NAME =
  /(?:(?<=[;\s])name\*?\s*=\s*(?:(?:["']|[\w-]*'[\w-]*')\s*)?|content-id[ \t]*:\s*<?)(?=[_.[\]$%=\\x])/gi;
/** Rack ignores brackets before a name. It also ignores a bracket after the name, and everything that follows it. */
const METHOD = new RegExp(`^["'\\s[\\]]*${METHOD_NAMES.replace(/[.[$]/g, '\\$&')}(?=["'\\s\\0;[\\]>=]|$)`, 'i');
/** Decoding megabytes takes seconds. Genuine requests have fewer and shorter names. */
const [NAMES_MAX, NAME_READ_MAX] = [1000, 300];
/** Readers disagree about where the content begins. */
const EARLIER_BLANK_LINE = /\n\r?\n/;

/** The values of the parts of a multipart body that name a method. What cannot be read is an unknown method. */
export function* methodsInParts(body: string): Iterable<string> {
  let count = 0;
  for (const { index, 0: head } of body.matchAll(NAMING)) {
    for (const name of namesIn(head)) {
      count += 1;
      if (count > NAMES_MAX) {
        yield 'unknown';
        return;
      }
      if (!mayBeMethod(name)) continue;
      const at = index + head.length;
      const content = EARLIER_BLANK_LINE.test(head) ? '' : body.slice(at, at + 1000);
      yield /^\s*([a-z]+)\s*(?:\r?\n|$)/i.exec(content)?.[1] ?? 'unknown';
      break;
    }
  }
}

/** At most one more than are read. */
function namesIn(head: string): string[] {
  const names: string[] = [];
  BEFORE_NAME.lastIndex = 0;
  while (names.length <= NAMES_MAX && BEFORE_NAME.test(head)) {
    names.push(head.slice(BEFORE_NAME.lastIndex, BEFORE_NAME.lastIndex + NAME_READ_MAX));
  }
  return names;
}

/** @param name with what follows it. A longer name in encoded words is not read to its end. */
const mayBeMethod = (name: string): boolean =>
  METHOD.test(readable(name)) || (name.startsWith('=?') && name.length === NAME_READ_MAX && !name.includes('"'));

/** An encoded word (RFC 2047), and what follows it: Tomcat decodes the word and leaves out the rest. */
const WORD = /=\?([^?\s]*)\?([bq])\?([^?]*)\?=[^\s"';=]*/gi;

/** A name without backslashes, which Rack and others leave out, and decoded in the ways of mail. */
function readable(name: string): string {
  const plain = latin1Decoded(name.replaceAll('\\', ''));
  return plain.includes('=?') ? plain.replace(/\?=\s+(?==\?)/g, '?=').replace(WORD, decodedWord) : plain;
}

function decodedWord(_word: string, charset: string, coding: string, text: string): string {
  // It may say anything.
  if (!isLikeAscii(charset)) return '_method';
  if (coding.toLowerCase() === 'q') return fromQuotedPrintable(text.replaceAll('_', ' '));
  return Buffer.from(text, 'base64').toString('latin1');
}

const fromQuotedPrintable = (text: string): string =>
  text.replace(/=([\da-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));
