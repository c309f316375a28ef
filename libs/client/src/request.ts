import { assertBodyIsKnown, isNodeForm, isStream, readNodeForm } from './body.js';
import { GatewayError } from './errors.js';
import type { GatewayRequest } from './options.js';

export const INTENT_HEADER = 'x-intent';

/** The parsed arguments of a `fetch` call, including those that are not forwarded. */
export interface ReadRequest extends GatewayRequest {
  signal: AbortSignal | null;
  /** From the header `X-Intent`. */
  intent: string | null;
  redirect: Request['redirect'];
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the arguments with the platform's `Request`, so that every kind of body gets the same bytes and content type as with `fetch`.
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
    body: request.body === null ? null : decode(await request.arrayBuffer()),
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

/** The gateway transfers bodies as text, because a human must be able to read what they approve. */
function decode(bytes: ArrayBuffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    const message = 'The gateway carries text bodies: this one is not UTF-8. Nothing was sent.';
    throw new GatewayError('body_not_text', 0, message, { cause });
  }
}
