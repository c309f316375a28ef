import { isAscii } from 'node:buffer';
import type { ShortSteps } from '../platform/short-steps.js';
import { canonicalSteps, firstValue } from './canonical-json.js';
import { canonicalForm, isAwsToken } from './canonical-form.js';

/**
 * A body with more fields, parts or longer heads is compared byte by byte: each costs time and memory, and people send
 * fewer. The heads of all parts together have at most as many lines and parameters as a form has fields.
 */
const FIELDS_MAX = 50_000;
const PARTS_MAX = 10_000;
const HEAD_MAX = 16 * 1024;
/** For longer JSON, an approval also covers the order of keys and the blanks. Reading it twice would cost too much. */
const EXACT_JSON_MAX = 256 * 1024;

/** A body as its door read it. */
interface Body {
  /** Without content codings. */
  bytes: Buffer;
  /** Null: the bytes are not text. */
  text: string | null;
}

/**
 * The ways in which servers may read a body, each as the parts that count when two requests are compared. What clients
 * choose anew for each attempt does not count: the boundary of a form, the order and blanks of JSON, the tokens of AWS.
 * Two bodies are alike if they share a reading. See docs/reference/states.md#equal-requests.
 * @param type the value of the content type
 * @param isAws whether AWS signs the request
 */
export function* widestBodies(body: Body | null, type: string, isAws: boolean): ShortSteps<(string | Buffer)[][]> {
  if (body === null || body.bytes.length === 0) return [[]];
  const { essence, boundary, boundaries, charsets } = readType(type);
  // For a body of ASCII, the charset does not count. ASCII is the same in nearly every charset, and clients can write
  // any number of different charset names.
  const rest = [essence, ...(isAscii(body.bytes) ? [] : charsets)].join(';');
  const parts = boundary === null ? null : splitParts(body.bytes, boundary, essence === 'multipart/form-data');
  if (parts !== null) return [[rest, ...parts]];
  const asBytes = [rest, 'bytes', ...boundaries, body.bytes];
  if (essence.includes('json')) {
    const text = body.text ?? inUtf16(body.bytes);
    const whole = yield* comparedJson(text, isAws);
    if (whole !== null) return [[essence, 'json', whole]];
    const first = yield* comparedJson(firstValue(text), isAws);
    return first === null ? [asBytes] : [asBytes, [essence, 'json', first]];
  }
  if (body.text !== null && essence.endsWith('urlencoded') && hasFewFields(body.text)) {
    return [[rest, 'form', canonicalForm(body.text, isAws)]];
  }
  return [asBytes];
}

/**
 * The parts of a body that count when a person has approved exactly this one. Only what clients choose anew for each
 * attempt does not count, and no server reads two of the same parts differently.
 */
export function* exactBody(body: Body | null, type: string, isAws: boolean): ShortSteps<(string | Buffer)[]> {
  if (body === null || body.bytes.length === 0) return [];
  const { essence, boundary } = readType(type);
  if (boundary !== null) {
    const delimiter = `\n--${Buffer.from(boundary).toString('latin1')}`;
    const pieces = `\n${body.bytes.toString('latin1')}`.split(delimiter, PARTS_MAX + 2);
    const rest = type.replace(PARAMETER, (parameter, name: string) => (/^boundary$/i.test(name) ? '' : parameter));
    if (pieces.length < PARTS_MAX + 2) return [rest, 'pieces', ...pieces];
  }
  if (body.text !== null && body.text.length <= EXACT_JSON_MAX && essence.includes('json')) {
    const json = yield* canonicalSteps(body.text, isAws ? isAwsToken : null, { isExact: true });
    if (json !== null) return [type, 'json', json];
  }
  const isAwsForm = isAws && body.text !== null && essence.endsWith('urlencoded') && hasFewFields(body.text);
  return isAwsForm ? [type, 'form', canonicalForm(body.text!, true)] : [type, 'bytes', body.bytes];
}

/** Many readers of JSON detect UTF-16 and UTF-32. */
function inUtf16(bytes: Buffer): string {
  const isBigEndian = bytes[0] === 0 || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return new TextDecoder(isBigEndian ? 'utf-16be' : 'utf-16le').decode(bytes).replaceAll('\0', '');
}

/** AWS's JSON protocols name the token at the top level. */
const comparedJson = (text: string, isAws: boolean): ShortSteps<string | null> =>
  canonicalSteps(text.replace(/^\ufeff/, ''), isAws ? isAwsToken : null);

const hasFewFields = (form: string): boolean => form.split('&', FIELDS_MAX + 1).length <= FIELDS_MAX;

const PARAMETER = /;\s*([^\s;=",]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;",]*))/g;

interface ReadType {
  /** Type and subtype, in lower case. */
  essence: string;
  /** Of a multipart type. Null also if it has several: servers don't agree on one. */
  boundary: string | null;
  boundaries: string[];
  /** Those that may change the text. Servers ignore other parameters. */
  charsets: string[];
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
    charsets,
  };
}

/**
 * The parts between the boundaries. The order of fields of a form with different names does not count.
 * @returns null: the body is compared byte by byte, because some servers may read more than its parts
 */
function splitParts(bytes: Buffer, boundary: string, isForm: boolean): string[] | null {
  const delimiter = `\n--${Buffer.from(boundary).toString('latin1')}`;
  const [before, ...parts] = `\n${bytes.toString('latin1')}`.split(delimiter, PARTS_MAX + 2);
  const end = parts.findIndex((part) => part.startsWith('--'));
  const isWhole = before === '' && end > 0 && end === parts.length - 1 && /^--\s*$/.test(parts[end]);
  if (!isWhole) return null;
  const compared: [head: string, content: string][] = [];
  let left = FIELDS_MAX;
  for (const part of parts.slice(0, end)) {
    const text = part.replace(/^[ \t]+/, '').replace(/\r$/, '');
    const [blank] = /\r?\n\r?\n/.exec(text) ?? [''];
    const headEnd = text.indexOf(blank);
    if (headEnd > HEAD_MAX) return null;
    const head = text.slice(0, headEnd);
    // A line break precedes the first line.
    left -= head.split(/[\n;]/, left + 2).length - 1;
    if (left < 0) return null;
    compared.push([normalizeHead(head, isForm), text.slice(headEnd + blank.length)]);
  }
  if (isForm) compared.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  // The length of each content is included, so that two different lists of parts never give the same text.
  return compared.flatMap(([head, content]) => [head, String(content.length), content]);
}

/** The head of a part, without what readers ignore: the order of its lines, letter case, quotes and defaults. */
function normalizeHead(head: string, isForm: boolean): string {
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
