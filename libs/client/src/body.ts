import { GatewayError } from './errors.js';

/** A form of the npm package `form-data`, which axios creates in Node. It is an old-style stream, not a web stream. */
export interface NodeForm {
  getHeaders(): Record<string, string>;
  on(event: string, listener: (value: never) => void): unknown;
  resume(): unknown;
}

export function isNodeForm(body: unknown): body is NodeForm {
  const form = body as Partial<Record<keyof NodeForm, unknown>> | null | undefined;
  return (
    typeof form === 'object' &&
    form !== null &&
    typeof form.getHeaders === 'function' &&
    typeof form.on === 'function' &&
    typeof form.resume === 'function'
  );
}

export function readNodeForm(form: NodeForm): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: (string | Uint8Array<ArrayBuffer>)[] = [];
    form.on('data', (chunk: string | Uint8Array<ArrayBuffer>) => chunks.push(chunk));
    form.on('end', () => void new Blob(chunks).arrayBuffer().then((bytes) => resolve(new Uint8Array(bytes)), reject));
    form.on('error', (error: Error) => reject(error));
    form.resume();
  });
}

/** Node accepts every async iterable as a body, including its own streams. */
export const isStream = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && (body instanceof ReadableStream || Symbol.asyncIterator in body);

/** Refuses objects that the platform would send as `[object …]`. @throws GatewayError */
export function assertBodyIsKnown(body: unknown): void {
  if (typeof body !== 'object' || body === null || isStream(body)) return;
  if ([FormData, Blob, URLSearchParams, ArrayBuffer].some((kind) => body instanceof kind) || ArrayBuffer.isView(body)) {
    return;
  }
  // Objects with their own text form (a URL, a date) are sent as that text.
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- this checks for the default text
  const text = String(body);
  if (!text.startsWith('[object ')) return;
  const message = `A body can't be ${text.slice(8, -1)}: give a string, bytes, Blob, FormData, URLSearchParams or a stream. Nothing was sent.`;
  throw new GatewayError('body_not_supported', 0, message);
}
