import type { Gateway, ProxyAnswer } from './gateway.js';

/** Every byte value, so the bytes are not text in any charset that the gateway reads. */
export const BINARY = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

export const FORM = { 'Content-Type': 'multipart/form-data; boundary=AaB03x' };
export const form = (...parts: [head: string, content: Buffer | string][]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([head, content]) => [
      Buffer.from(`--AaB03x\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(content as Buffer),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--AaB03x--\r\n'),
  ]);
export const UPLOAD = form(
  ['name="purpose"', 'fine-tune'],
  ['name="file"; filename="d\u00fcne.png"\r\nContent-Type: image/png', BINARY],
);

let serial = 0;

/** Sends bytes below /s/Shop, with a new idempotency key. */
export async function upload(
  gateway: Gateway,
  path: string,
  body: Buffer,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<ProxyAnswer> {
  const response = await fetch(`${gateway.url}/s/Shop${path}`, {
    method,
    body: Uint8Array.from(body),
    headers: {
      'Agent-Key': gateway.agentKey,
      'X-Intent': 'upload',
      'Idempotency-Key': `upload-${++serial}`,
      ...headers,
    },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  return { status: response.status, headers: response.headers, bytes, text, json: <T>() => JSON.parse(text) as T };
}
