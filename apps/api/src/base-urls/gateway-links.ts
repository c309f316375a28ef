import { isUtf8 } from 'node:buffer';
import { ServiceLinks } from '../egress/service-links.js';

/**
 * A JSON string that consists of one URL and is not a key. `"http` begins a string wherever no backslash comes before
 * it, so the rest of the document need not be read. The length is limited like that of a target.
 */
const JSON_URL = /(?<!\\)"(https?:\\?\/\\?\/(?:[^"\\]|\\.){1,8192})"(?!\s*:)/gi;

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

  /** Rewrites JSON strings that consist of one URL. The rest stays the same, byte for byte. */
  json(body: Buffer): Buffer {
    if (!isUtf8(body)) return body;
    const before = body.toString();
    const after = before.replace(JSON_URL, (whole, inner: string) => {
      const text = unescaped(whole, inner);
      const here = text === null ? null : this.url(text);
      if (here === null) return whole;
      const written = JSON.stringify(here);
      return inner.includes('\\/') ? written.replaceAll('/', '\\/') : written;
    });
    return after === before ? body : Buffer.from(after);
  }
}

/** @returns null if the text is not a JSON string */
function unescaped(json: string, inner: string): string | null {
  if (!inner.includes('\\')) return inner;
  try {
    return JSON.parse(json) as string;
  } catch {
    return null;
  }
}
