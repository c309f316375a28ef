import { canonicalJson } from './canonical-json.js';
import { canonicalForm, isUuid, TOKENS } from './canonical-form.js';

/**
 * A body with more fields, parts or longer heads is compared byte by byte: each costs time and memory, and people send
 * fewer.
 */
const FIELDS_MAX = 50_000;
const PARTS_MAX = 10_000;
const HEAD_MAX = 16 * 1024;

/** A body as its door read it. */
interface Body {
  /** Without content codings. */
  bytes: Buffer;
  /** Null: the bytes are not text. */
  text: string | null;
}

/**
 * The parts of a body that count when two requests are compared, and the content type that they are read by. What
 * clients choose anew for each attempt does not count: the boundary of a form, the order and blanks of JSON, the tokens
 * of AWS. See docs/reference/states.md#equal-requests.
 * @param type the value of the content type
 */
export function comparedBody(body: Body | null, type: string): (string | Buffer)[] {
  if (body === null || body.bytes.length === 0) return [];
  const { essence, boundary, boundaries, rest } = readType(type);
  const parts = boundary === null ? null : partsOf(body.bytes, boundary, essence === 'multipart/form-data');
  if (parts !== null) return [rest, ...parts];
  if (body.text !== null && /json/.test(essence)) {
    const json = canonicalJson(body.text.replace(/^\ufeff/, ''), isAwsToken(essence));
    if (json !== null) return [rest, 'json', json];
  }
  if (body.text !== null && essence.endsWith('urlencoded') && hasFewFields(body.text)) {
    return [rest, 'form', canonicalForm(body.text)];
  }
  return [rest, 'bytes', ...boundaries, body.bytes];
}

const hasFewFields = (form: string): boolean => form.split('&', FIELDS_MAX + 1).length <= FIELDS_MAX;

/** AWS's JSON protocols name the token at the top level. */
const isAwsToken =
  (essence: string) =>
  (name: string, value: string): boolean =>
    TOKENS.has(name) && isUuid(value) && /^application\/(x-amz-json-|json$)/.test(essence);

const PARAMETER = /;\s*([^\s;=",]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;",]*))/g;

interface ReadType {
  /** Type and subtype, in lower case. */
  essence: string;
  /** Of a multipart type. Null also if it has several: servers don't agree on one. */
  boundary: string | null;
  boundaries: string[];
  /** Type and subtype, and a charset that may change the text. Servers ignore other parameters. */
  rest: string;
}

function readType(type: string): ReadType {
  const essence = type.split(/[;,]/, 1)[0].trim().toLowerCase();
  const charsets: string[] = [];
  const boundaries: string[] = [];
  for (const [, name, quoted, token] of type.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    const value = quoted === undefined ? token.trim() : quoted.replace(/\\(.)/g, '$1');
    if (key === 'boundary' && essence.startsWith('multipart/')) boundaries.push(value);
    // Text is UTF-8 where nothing else is said, and ASCII is UTF-8.
    else if (key === 'charset' && !/^(?:utf-?8|(?:us-)?ascii)$/i.test(value)) charsets.push(value.toLowerCase());
  }
  return {
    essence,
    boundary: boundaries.length === 1 && boundaries[0] !== '' ? boundaries[0] : null,
    boundaries,
    rest: [essence, ...charsets].join(';'),
  };
}

/**
 * The parts between the boundaries. The order of fields of a form with different names does not count.
 * @returns null: the body is compared byte by byte, because some servers may read more than its parts
 */
function partsOf(bytes: Buffer, boundary: string, isForm: boolean): string[] | null {
  const delimiter = `\n--${Buffer.from(boundary).toString('latin1')}`;
  const [before, ...parts] = `\n${bytes.toString('latin1')}`.split(delimiter, PARTS_MAX + 2);
  const end = parts.findIndex((part) => part.startsWith('--'));
  const isWhole = before === '' && end > 0 && end === parts.length - 1 && /^--\s*$/.test(parts[end]);
  if (!isWhole) return null;
  const compared: [head: string, content: string][] = [];
  for (const part of parts.slice(0, end)) {
    const text = part.replace(/^[ \t]+/, '').replace(/\r$/, '');
    const [blank] = /\r?\n\r?\n/.exec(text) ?? [''];
    const headEnd = text.indexOf(blank);
    if (headEnd > HEAD_MAX) return null;
    compared.push([headOf(text.slice(0, headEnd), isForm), text.slice(headEnd + blank.length)]);
  }
  if (isForm) compared.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  // A count makes each list of parts another text.
  return compared.flatMap(([head, content]) => [head, String(content.length), content]);
}

/** The head of a part, without what readers ignore: the order of its lines, letter case, quotes and defaults. */
function headOf(head: string, isForm: boolean): string {
  const lines = new Map<string, string>();
  for (const line of head.split(/\r?\n/)) {
    const [, name, value] = /^([^:]*):(.*)$/.exec(line) ?? ['', line, ''];
    const key = name.trim().toLowerCase();
    if (key === '' || key === 'content-length') continue;
    if (key === 'content-transfer-encoding' && /^\s*(?:7bit|8bit|binary)\s*$/i.test(value)) continue;
    if (isForm && key !== 'content-disposition' && key !== 'content-type') continue;
    const [first, ...parameters] = value.split(';').map((each) => each.trim().replaceAll('"', ''));
    const compared = parameters.map(inOneCase).filter((each) => each !== 'charset=utf-8');
    const read = [first.toLowerCase(), ...compared.sort()].join(';');
    // Servers don't agree on which of two lines counts.
    lines.set(key, lines.has(key) ? `${lines.get(key)}\n${read}` : read);
  }
  if (lines.get('content-type') === 'text/plain') lines.delete('content-type');
  return JSON.stringify([...lines].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const inOneCase = (parameter: string): string =>
  /^charset\s*=/i.test(parameter)
    ? parameter.toLowerCase()
    : parameter.replace(/^[^=]*/, (name) => name.trim().toLowerCase());
