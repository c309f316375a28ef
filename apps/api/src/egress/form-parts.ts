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

const FORM = /^\s*multipart\/form-data\s*(?=;|$)/i;
const PARAMETER = /;\s*(?:([^\s;=",]+)\s*=\s*(?:"([^"\\]*)"|([^\s;",\\]+))\s*)?/y;

/**
 * The boundary of a form. Null: the body is no form. Two boundaries are refused: the upstream might read other parts than people see.
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
    const fail = (why: string): void => reject(errors.invalid(`body: is no valid multipart/form-data: ${why}`));
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
      if (parts.length === delimitersIn(body, boundary)) resolve(parts);
      else fail('it has a part that is no form field, or a boundary outside the form');
    });
    reader.end(body);
  });
}

/**
 * How many parts begin in the body, as the most lenient upstream counts them. The reader leaves parts out that it can't name, and
 * nobody would see them.
 */
function delimitersIn(body: Buffer, boundary: string): number {
  const text = `\n${body.toString('latin1')}`;
  const delimiter = `\n--${Buffer.from(boundary).toString('latin1')}`;
  let count = 0;
  for (
    let at = text.indexOf(delimiter);
    at >= 0 && count <= PARTS_MAX;
    at = text.indexOf(delimiter, at + delimiter.length)
  ) {
    if (!text.startsWith('--', at + delimiter.length)) count += 1;
  }
  return count;
}
