import { isUtf8 } from 'node:buffer';
import { parseBounded } from '../platform/http/bounded-json.js';

/** The content type of a body that is sent without one (docs/reference/agent-api.md#request-body). */
export function detectedType(body: string | Buffer): string {
  if (typeof body !== 'string' && (body.includes(0) || !isUtf8(body))) return 'application/octet-stream';
  return isJsonContainer(body.toString()) ? 'application/json' : 'text/plain; charset=utf-8';
}

function isJsonContainer(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  const read = parseBounded(text);
  // Text with very many values is JSON if it looks like it.
  return read === 'too many values' ? /[\]}]$/.test(text.trimEnd()) : read !== 'no JSON';
}
