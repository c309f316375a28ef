import { isUtf8 } from 'node:buffer';
import type { ActionPart } from '#contracts';
import { errors } from '../platform/errors.js';
import { isReadAsUtf8, UTF8 } from './form-type.js';

/** One part of a form, as people see it. */
export type FormPart = ActionPart;

/** Real forms have fewer parts. */
const PARTS_MAX = 1000;
/**
 * How many characters the boundaries inside the content may have together. Clients choose a boundary that the content
 * does not contain. Finding a longer boundary takes more time, and boundaries of one repeated character overlap.
 */
const BOUNDARIES_IN_CONTENT_MAX = 10_000_000;
/** The head of one part. Node's own limit for the head of a message. */
const HEAD_MAX = 16 * 1024;

/**
 * Reads the parts of a form. It takes only forms that every reader reads alike: lines end in CRLF, nothing stands before
 * the first part and after the last one, and no head can be read in two ways. Browsers and libraries send such forms.
 * docs/reference/agent-api.md#forms lists what is refused.
 * @throws ApiError 400 that says what is wrong
 */
export function formParts(body: Buffer, boundary: string): FormPart[] {
  const text = body.toString('latin1');
  const delimiter = `--${boundary}`;
  if (!text.startsWith(delimiter)) throw malformed('it does not begin with its boundary');
  const parts: FormPart[] = [];
  for (let at = delimiter.length; ;) {
    const line = text.slice(at, at + 4);
    if (line === '--' || line === '--\r\n') {
      if (text.length - at > line.length) throw malformed('something follows its end');
      return parts;
    }
    if (!line.startsWith('\r\n')) throw malformed('a line begins with its boundary and goes on');
    if (parts.length === PARTS_MAX) throw malformed(`it has more than ${PARTS_MAX} parts`);
    const head = text.indexOf('\r\n\r\n', at);
    const start = head + 4;
    const end = nextDelimiter(text, delimiter, at + 2);
    if (end === null) throw malformed('its end is missing');
    if (head === -1 || start > end) throw malformed('a part has no head that an empty line ends');
    parts.push(toFormPart(parseHead(body, at + 2, head), body.subarray(start, end)));
    at = end + 2 + delimiter.length;
  }
}

/** Where the line break before the next boundary is. Some readers also end a line at a bare CR, LF or form feed. */
function nextDelimiter(text: string, delimiter: string, from: number): number | null {
  let inContent = 0;
  for (let at = text.indexOf(delimiter, from); at !== -1; at = text.indexOf(delimiter, at + 1)) {
    const before = text[at - 1];
    if (before === '\n' && text[at - 2] === '\r') return at - 2;
    if (before < ' ') throw malformed('a boundary follows a control character that is not CRLF');
    inContent += delimiter.length;
    if (inContent > BOUNDARIES_IN_CONTENT_MAX) throw malformed('a part contains its boundary again and again');
  }
  return null;
}

const malformed = (why: string): Error => errors.invalid(`body: is not valid multipart/form-data: ${why}`);

/** The lookahead keeps it linear: fewer blanks before the value are never tried. */
const HEAD_LINE = /^([A-Za-z0-9-]+):[ \t]*(?![ \t])([^\p{Cc}]*)$/u;
/** Some readers, such as Rack before 3.1, look for these names anywhere in the head, and take the first. */
const READ_ANYWHERE = /.content-(?:disposition|type|id|transfer-encoding)[ \t]*:/i;
/** Rack takes the last name that the disposition has, also inside a value, and the file name of any header. */
const NAME_INSIDE = /;[ \t]*(?:file)?name\*?[ \t]*=/i;
const FILE_NAME_INSIDE = /;[ \t]*filename\*?[ \t]*=/i;

/** @returns the values of the head's lines, by name in lower case */
function parseHead(body: Buffer, start: number, end: number): Map<string, string> {
  if (end - start > HEAD_MAX) throw malformed(`the head of a part has more than ${HEAD_MAX} bytes`);
  const bytes = body.subarray(start, end);
  if (!isUtf8(bytes)) throw malformed('the head of a part is not UTF-8');
  const lines = new Map<string, string>();
  for (const line of bytes.toString().split('\r\n')) {
    const [, written, value] = HEAD_LINE.exec(line) ?? [];
    if (written === undefined) throw malformed('the head of a part has a line that is no header, or continues one');
    const name = written.toLowerCase();
    if (READ_ANYWHERE.test(line)) throw malformed('the head of a part names a header inside another one');
    // RFC 2047. Tomcat decodes it.
    if (line.includes('=?')) throw malformed('the head of a part has an encoded word (=?)');
    if (name !== 'content-disposition' && FILE_NAME_INSIDE.test(line))
      throw malformed('the head of a part has a file name outside of Content-Disposition');
    if (lines.has(name)) throw malformed(`the head of a part has ${written} twice`);
    lines.set(name, value.trimEnd());
  }
  return lines;
}

/**
 * A value may have no backslash, because some readers keep a backslash and others leave it out. Outside of double
 * quotes it may have no single quote, because PHP takes single quotes for quotes.
 */
const DISPOSITION = /^form-data((?:;[ \t]*[A-Za-z]+=(?:"[^"\\]*"|[\w.-]+))+)$/i;
const PAIR = /;[ \t]*([A-Za-z]+)=(?:"([^"]*)"|([\w.-]+))/g;
/** PHP leaves out blanks at the beginning. */
const PLAIN_NAME = /^(?![\s'])[^]*(?<![\s'])$/;

function toFormPart(head: Map<string, string>, content: Buffer): FormPart {
  const [, pairs] = DISPOSITION.exec(head.get('content-disposition') ?? '') ?? [];
  if (pairs === undefined) throw malformed('a part is not a form field with a plain name');
  const given = Array.from(pairs.matchAll(PAIR), ([, name, quoted, bare]) => [name.toLowerCase(), quoted ?? bare]);
  const { name, filename } = Object.fromEntries(given) as Partial<Record<string, string>>;
  if (new Set(given.map(([key]) => key)).size < given.length || given.some(([, value]) => NAME_INSIDE.test(value)))
    throw malformed('a part has two names');
  // Rack makes a name from the file name or the type.
  if (name === undefined || name === '') throw malformed('a part has no name');
  if (!PLAIN_NAME.test(name)) throw malformed('a name begins or ends with a blank or a single quote');
  // Jetty decodes all fields as this one says.
  if (name.toLowerCase() === '_charset_' && !UTF8.test(content.toString('latin1')))
    throw malformed('_charset_ is not UTF-8');

  const type = head.get('content-type') ?? (filename === undefined ? 'text/plain' : 'application/octet-stream');
  // Some readers read the parts of a part.
  if (/^multipart/i.test(type)) throw malformed('a part is a multipart itself');
  if (!/^(?:7bit|8bit|binary|)$/i.test(head.get('content-transfer-encoding') ?? '')) {
    throw malformed('a part has a Content-Transfer-Encoding, which some servers undo');
  }
  const contentType = type.split(';', 1)[0].trim().toLowerCase();
  const size = content.length;
  // Browsers send this for an input without a file. Anything else of this form is a file for some readers and a field for
  // others.
  const isNoFile = size === 0 && contentType === 'application/octet-stream' && head.has('content-type');
  if (filename === '' && !isNoFile)
    throw malformed('a part with an empty file name is not an empty application/octet-stream');
  if (filename !== undefined) return { name, filename, contentType, size };
  if (!isReadAsUtf8(type)) throw malformed('a field is not UTF-8');
  return { name, contentType, size, text: content.toString() };
}
