import { assertBodyIsKnown, isNodeForm, isStream, readNodeForm } from './body.js';
import type { GatewayRequest } from './options.js';

const INTENT_HEADER = 'x-intent';

/** The parsed arguments of a `fetch` call, including those that are not forwarded. */
export interface ReadRequest extends GatewayRequest {
  signal: AbortSignal | null;
  /** From the header `X-Intent`. */
  intent: string | null;
  redirect: Request['redirect'];
}

const PIECE_BYTES = 32 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the arguments with the platform's `Request`, so that every kind of body gets the same bytes and content type as
 * with `fetch`.
 */
export async function readRequest(input: string | URL | Request, init: RequestInit = {}): Promise<ReadRequest> {
  const request = new Request(input, await readable(init));
  const signal = init.signal ?? (input instanceof Request ? input.signal : null);
  signal?.throwIfAborted();
  const headers: Record<string, string> = {};
  request.headers.forEach((value, name) => (headers[name] = value));
  const intent = headers[INTENT_HEADER] ?? null;
  delete headers[INTENT_HEADER];
  return {
    method: request.method.toUpperCase(),
    url: request.url,
    headers,
    ...(request.body === null ? { body: null, bodyBase64: null } : encoded(await request.arrayBuffer())),
    signal,
    intent,
    redirect: request.redirect,
  };
}

/** Returns `init` with a body that the platform's `Request` reads correctly. */
async function readable(init: RequestInit): Promise<RequestInit> {
  const body: unknown = init.body;
  if (isNodeForm(body)) {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(body.getHeaders())) headers.set(name, value);
    return { ...init, headers, body: await readNodeForm(body) };
  }
  assertBodyIsKnown(body);
  // Node and browsers require `duplex` for streams; octokit and others do not always set it.
  return isStream(body) ? ({ ...init, duplex: 'half' } as RequestInit) : init;
}

/** Text stays text, because a human must be able to read what they approve. Other bytes become base64. */
function encoded(bytes: ArrayBuffer): Pick<GatewayRequest, 'body' | 'bodyBase64'> {
  try {
    return { body: utf8.decode(bytes), bodyBase64: null };
  } catch {
    return { body: null, bodyBase64: base64(new Uint8Array(bytes)) };
  }
}

/** Piece by piece, because a function takes a limited number of arguments. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    text += String.fromCharCode(...bytes.subarray(from, from + PIECE_BYTES));
  }
  return btoa(text);
}
