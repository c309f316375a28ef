import { isUtf8 } from 'node:buffer';
import { ServiceLinks } from '../egress/service-links.js';
import type { ShortSteps } from '../platform/short-steps.js';

/**
 * Matches a JSON string that consists of one URL. If no backslash comes before `"http`, a string begins there. So the
 * rest of the document need not be read. A URL has the same maximum length as a target.
 */
const JSON_URL = /(?<!\\)"(https?:\\?\/\\?\/(?:[^"\\]|\\.){1,8192})"/gi;
/** The longest one: each character may be escaped. */
const LONGEST = 2 * 8192 + 16;
/** The number of bytes that one step searches, and the number of URLs that one step rewrites. */
const BLOCK_BYTES = 32 * 1024;
const URLS_IN_A_STEP = 32;
const [COLON, SPACE] = [0x3a, 0x20];

interface LinkPlaces {
  /** The service's base URL at the API. */
  baseUrl: string;
  /** The base URL on the gateway, absolute, as the program wrote it: `https://gateway.example.com/s/Shop;wait=30`. */
  gatewayUrl: string;
  /** The requested URL of the API: relative URLs refer to it. */
  targetUrl: string;
}

/**
 * Rewrites URLs of an API to URLs of the gateway. A program follows links with its agent key, so links below the
 * service's base URL must lead to the gateway.
 */
export class GatewayLinks extends ServiceLinks {
  private readonly gatewayUrl: string;

  constructor({ baseUrl, gatewayUrl, targetUrl }: LinkPlaces) {
    super(baseUrl, targetUrl);
    this.gatewayUrl = gatewayUrl;
  }

  /** The URL of the same place on the gateway. @returns null if the URL leads out of the service */
  override url(text: string): string | null {
    const tail = this.tail(text);
    return tail === null ? null : this.gatewayUrl + tail;
  }

  /**
   * Rewrites JSON strings that consist of one URL and are no keys. The rest stays the same, byte for byte.
   * @returns the same body if it would become longer than `maxBytes`
   */
  *json(body: Buffer, maxBytes: number): ShortSteps<Buffer> {
    if (!isUtf8(body)) return body;
    const pattern = new RegExp(JSON_URL);
    const rewritten: Buffer[] = [];
    let [copied, urls, length] = [0, 0, body.length];
    for (let from = 0; from < body.length; from += BLOCK_BYTES) {
      if (from > 0) yield;
      // With the byte before it, and the rest of a string that begins in it.
      const first = Math.max(0, from - 1);
      const block = body.toString('latin1', first, from + BLOCK_BYTES + LONGEST);
      const pieces: Buffer[] = [];
      pattern.lastIndex = Math.max(from, copied) - first;
      for (let match = pattern.exec(block); match !== null; match = pattern.exec(block)) {
        const start = first + match.index;
        const end = start + match[0].length;
        if (start >= from + BLOCK_BYTES) break;
        if (++urls % URLS_IN_A_STEP === 0) yield;
        const written = isKey(body, end) ? null : this.jsonString(body.toString('utf8', start, end));
        if (written === null) continue;
        length += written.length - match[0].length;
        if (length > maxBytes) return body;
        pieces.push(body.subarray(copied, start), written);
        copied = end;
      }
      // Millions of pieces would take more memory than the body.
      if (pieces.length > 0) rewritten.push(Buffer.concat(pieces));
    }
    return copied === 0 ? body : Buffer.concat([...rewritten, body.subarray(copied)]);
  }

  /** @returns null if it stays */
  private jsonString(json: string): Buffer | null {
    const text = unescaped(json);
    const here = text === null ? null : this.url(text);
    if (here === null) return null;
    const written = JSON.stringify(here);
    return Buffer.from(json.includes('\\/') ? written.replaceAll('/', '\\/') : written);
  }
}

/** Whether a colon follows. */
function isKey(body: Buffer, end: number): boolean {
  let at = end;
  while (at < body.length && body[at] <= SPACE) at += 1;
  return body[at] === COLON;
}

/** @returns null if the text is not a JSON string */
function unescaped(json: string): string | null {
  if (!json.includes('\\')) return json.slice(1, -1);
  try {
    return JSON.parse(json) as string;
  } catch {
    return null;
  }
}
