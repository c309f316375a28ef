import { isUtf8 } from 'node:buffer';

/**
 * A dot segment, or a name that begins with a dot. A client would resolve it against the path of the gateway. Clients
 * remove tabs before they look for dots.
 */
const DOT = /[/\\](\.|%2e)|\t/i;
/** A delay, a separator and mostly `url=`; then the URL, with or without quotes. */
const REFRESH = /^(\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?)(["']?)(.+)\2$/i;
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
 * service's base URL must lead to the gateway. Everything else stays the same.
 */
export class GatewayLinks {
  private readonly origin: string;
  /** The path of the base URL, without a trailing slash. */
  private readonly root: string;

  constructor(private readonly places: LinkPlaces) {
    const { origin, pathname } = new URL(places.baseUrl);
    this.origin = origin;
    this.root = pathname.replace(/\/+$/, '');
  }

  /** The URL of the same place on the gateway. @returns null if the URL leads out of the service */
  url(text: string): string | null {
    const { targetUrl, gatewayUrl } = this.places;
    if (!URL.canParse(text, targetUrl)) return null;
    const target = new URL(text, targetUrl);
    const { root } = this;
    const below = target.pathname === root || target.pathname.startsWith(`${root}/`);
    if (target.origin !== this.origin || target.username !== '' || target.password !== '' || !below) return null;
    return gatewayUrl + (this.tailAsWritten(text) ?? target.pathname.slice(root.length) + target.search + target.hash);
  }

  /**
   * The value of `Link`: rewrites everything between angle brackets, even inside quotes, because simple parsers read it
   * there.
   */
  link(value: string): string {
    return value.replace(/<([^<>]*)>/g, (whole, url: string) => {
      const here = this.url(url);
      return here === null ? whole : `<${here}>`;
    });
  }

  /** The value of `Refresh`. @returns null if the URL leads out of the service */
  refresh(value: string): string | null {
    // Trimmed here, because a pattern for the spaces at the end would take time quadratic in the length of the value.
    const match = REFRESH.exec(value.trimEnd());
    if (match === null) return value;
    const here = this.url(match[3]);
    return here === null ? null : match[1] + match[2] + here + match[2];
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

  /** Keeps a URL template (`…/issues{/number}`) as it is. */
  private tailAsWritten(text: string): string | null {
    const prefix = this.origin + this.root;
    if (!text.startsWith(prefix)) return null;
    const tail = text.slice(prefix.length);
    return /^([/?#]|$)/.test(tail) && !DOT.test(tail) ? tail : null;
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
