import busboy from 'busboy';
import type { ActionPart } from '#contracts';
import { errors } from '../platform/errors.js';

/** One part of a form, as people see it. */
export type FormPart = ActionPart;

/** Real forms have fewer parts. */
const PARTS_MAX = 1000;
/** In the head of one part. */
const HEAD_PAIRS_MAX = 100;

const FORM = /^\s*multipart\/form-data\s*(;|$)/i;
const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;",]{1,200}))/i;

/** The boundary of a form. Null: the body is no form. @throws ApiError 400 if a form has none */
export function formBoundary(contentType: string): string | null {
  if (!FORM.test(contentType)) return null;
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw errors.invalid('Content-Type: multipart/form-data needs a boundary');
  return boundary;
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
    reader.on('close', () => resolve(parts));
    reader.end(body);
  });
}
