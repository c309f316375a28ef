import type { StoredResponse } from '#contracts';

/** An answer as bytes, from the upstream or from the gateway, in the form in which it is stored and passed on. */
export interface Answer {
  /** false: the gateway's own 502, 504 or 413. */
  fromUpstream: boolean;
  status: number;
  headers: [string, string][];
  body: Buffer;
  /** The gateway's own headers about this sending. They are not stored, so a replay has none. */
  own?: [string, string][];
}

/**
 * Whether the body still has the codings that its headers name, because nobody could undo them
 * (docs/reference/egress.md#codings).
 */
export const isEncoded = (headers: Answer['headers']): boolean =>
  headers.some(([name]) => name.toLowerCase() === 'content-encoding');

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Shows bytes that are not valid UTF-8 as base64 (docs/reference/agent-api.md#stored-bytes). */
export function toStoredResponse({ status, headers, body }: Omit<Answer, 'fromUpstream'>): StoredResponse {
  return { status, headers: toHeaderObject(headers), ...toText(body) };
}

function toText(body: Buffer): Pick<StoredResponse, 'body' | 'bodyEncoding'> {
  try {
    return { body: utf8.decode(body) };
  } catch {
    return { body: body.toString('base64'), bodyEncoding: 'base64' };
  }
}

const toHeaderObject = (headers: Answer['headers']): StoredResponse['headers'] =>
  Object.fromEntries(headersByName(headers));

/** The headers by their names in lower case. Those that come several times have several values. */
export function headersByName(headers: Answer['headers']): Map<string, string | string[]> {
  const byName = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = byName.get(key);
    if (before === undefined) byName.set(key, value);
    else if (typeof before === 'string') byName.set(key, [before, value]);
    else before.push(value);
  }
  return byName;
}
