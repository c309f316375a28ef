import busboy from 'busboy';
import type { ActionPart } from '#contracts';
import { errors } from '../platform/errors.js';

/** One part of a form, as people see it. */
export type FormPart = ActionPart;

/** Real forms have fewer parts. */
const PARTS_MAX = 1000;
/** In the head of one part. */
const HEAD_PAIRS_MAX = 100;
const BOUNDARY_MAX = 200;
/** Longer than the reader accepts. */
const HEAD_MAX = 100 * 1024;

const FORM = /^\s*multipart\/form-data\s*(?=;|$)/i;
const PARAMETER = /;\s*(?:([^\s;=",]+)\s*=\s*(?:"([^"\\]*)"|([^\s;",\\]+))\s*)?/y;

/**
 * The boundary of a form. Null: the body is not a form. Two boundaries are refused: the upstream might read other parts
 * than people see.
 * @throws ApiError 400 if a form has none
 */
export function formBoundary(contentType: string): string | null {
  const form = FORM.exec(contentType);
  if (form === null) return null;
  const boundaries: string[] = [];
  PARAMETER.lastIndex = form[0].length;
  while (PARAMETER.lastIndex < contentType.length) {
    const found = PARAMETER.exec(contentType);
    if (found === null) throw errors.invalid('Content-Type: the parameters of multipart/form-data are malformed');
    if (found[1]?.toLowerCase() === 'boundary') boundaries.push(found[2] ?? found[3]);
  }
  if (boundaries.length !== 1 || boundaries[0] === '' || boundaries[0].length > BOUNDARY_MAX) {
    throw errors.invalid('Content-Type: multipart/form-data needs a boundary');
  }
  return boundaries[0];
}

/**
 * Reads the parts of a form, to show them. The form itself is sent as it came.
 * @throws ApiError 400 if the form has no end or can't be read
 */
export function formParts(body: Buffer, boundary: string): Promise<FormPart[]> {
  return new Promise((resolve, reject) => {
    const parts: FormPart[] = [];
    const fail = (why: string): void => reject(errors.invalid(`body: is not valid multipart/form-data: ${why}`));
    const reader = busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      limits: { parts: PARTS_MAX, fieldSize: Infinity, headerPairs: HEAD_PAIRS_MAX, fieldNameSize: 1000 },
      defParamCharset: 'utf8',
      preservePath: true,
    });
    reader.on('field', (name, text, { mimeType }) => {
      parts.push({ name, contentType: mimeType, size: Buffer.byteLength(text), text });
    });
    reader.on('file', (name, content, { filename, mimeType }) => {
      const part: FormPart = { name, filename, contentType: mimeType, size: 0 };
      parts.push(part);
      // The reader reports the same error.
      content.on('error', () => {});
      content.on('data', (chunk: Buffer) => (part.size += chunk.length));
    });
    reader.on('partsLimit', () => fail(`it has more than ${PARTS_MAX} parts`));
    reader.on('error', (error) =>
      fail(error.message === 'Unexpected end of form' ? 'its end is missing' : 'it is malformed'),
    );
    reader.on('close', () => {
      const heads = headsIn(body, boundary);
      if (parts.length !== heads.length) fail('it has a part that is not a form field, or a boundary outside the form');
      else if (heads.some(isAmbiguous)) fail('it has a part with two names');
      else resolve(parts);
    });
    reader.end(body);
  });
}

/**
 * The heads of all parts, as the most lenient upstream would find them. The reader skips parts without a name, so
 * people would not see them.
 */
function headsIn(body: Buffer, boundary: string): string[] {
  const text = `\n${body.toString('latin1')}`;
  const delimiter = `\n--${Buffer.from(boundary).toString('latin1')}`;
  const heads: string[] = [];
  for (let at = text.indexOf(delimiter); at >= 0 && heads.length <= PARTS_MAX; at = text.indexOf(delimiter, at)) {
    at += delimiter.length;
    if (text.startsWith('--', at)) continue;
    const end = text.indexOf('\r\n\r\n', at);
    heads.push(text.slice(at, end < 0 ? undefined : Math.min(end, at + HEAD_MAX)));
  }
  return heads;
}

/** The header line, with its folded lines. */
const DISPOSITION = /^content-disposition[ \t]*:.*(?:\r?\n[ \t].*)*/gim;
const NAME = /[;\s]name[ \t]*\*?[ \t]*=/gi;

/** It consumes an unclosed quote together with the text after it, so that no character is read twice. */
const QUOTED = /"(?:[^"\\]|\\.)*("?)/g;

/** Upstreams differ in which of two names they read. Quoted texts may contain anything. */
function isAmbiguous(head: string): boolean {
  const plain = head.replace(QUOTED, (text, end) => (end === '' ? text : '""'));
  const [first = '', ...others] = plain.match(DISPOSITION) ?? [];
  return others.length > 0 || (first.match(NAME) ?? []).length > 1;
}
