import { isUtf8 } from 'node:buffer';
import { parseUrl } from '#egress';

/** What every reader of URLs understands alike: an absolute URL, a path, a query, or a name without a colon. */
const PLAIN = /^(?:https?:\/\/[^/\\]|\/(?!\/)|[?#]|[^:/\\?#]+(?:[/?#]|$)|$)/i;
/**
 * A dot segment, or a name that begins with a dot. A client would resolve it against the path of the gateway. Clients
 * remove tabs before they look for dots, and read backslashes as slashes.
 */
const DOT = /(?:^|[/\\])(?:\.|%2e)|[\t\\]/i;

/** Tells the URLs below a service's base URL from those that lead elsewhere (docs/reference/egress.md#links). */
export class ServiceLinks {
  private readonly origin: string;
  /** The path of the base URL, without a trailing slash. */
  private readonly root: string;
  private readonly target: URL;

  /** @param targetUrl the requested URL: relative URLs refer to it */
  constructor(baseUrl: string, targetUrl: string) {
    const { origin, pathname } = new URL(baseUrl);
    this.origin = origin;
    this.root = pathname.replace(/\/+$/, '');
    this.target = new URL(targetUrl);
  }

  /**
   * The URL as it may stand in an answer. Only a URL that readers may understand differently is spelled anew.
   * @returns null if it leads out of the service
   */
  url(text: string): string | null {
    const below = this.below(text);
    if (below === null) return null;
    return PLAIN.test(text) && !/[\\\t]/.test(text) ? text : below.href;
  }

  /** The part after the base URL, as it is written where that is possible. @returns null as `url` */
  protected tail(text: string): string | null {
    const below = this.below(text);
    if (below === null) return null;
    return this.tailAsWritten(text, below) ?? below.pathname.slice(this.root.length) + below.search + below.hash;
  }

  /** The URL, if it leads below the base URL however it is read. */
  private below(text: string): URL | null {
    // Simple readers take these off.
    if (/^\s*["'<]/.test(text)) return null;
    const read = asText(text);
    // Some clients read octets as Latin-1, and UTF-8 in a host would be another host.
    if (read !== text && this.belowAs(text) === null) return null;
    return this.belowAs(read);
  }

  private belowAs(text: string): URL | null {
    // Both readings of `https:name` are checked: a reader that knows the scheme of the base takes it for a relative
    // URL, and any other reader takes it for an absolute one.
    const alone = parseUrl(text);
    if (alone !== null && !this.isBelow(alone)) return null;
    const url = alone !== null && /^https?:\/\//i.test(text) ? alone : parseUrl(text, this.target);
    return url !== null && this.isBelow(url) ? url : null;
  }

  private isBelow({ origin, username, password, pathname }: URL): boolean {
    if (origin !== this.origin || username !== '' || password !== '') return false;
    return pathname === this.root || pathname.startsWith(`${this.root}/`);
  }

  /** Keeps the octets of a path, and a URL template (`…/issues{/number}`). */
  private tailAsWritten(text: string, below: URL): string | null {
    const prefix = this.origin + this.root;
    const whole = this.absolute(text);
    if (whole === null || !whole.startsWith(prefix)) return null;
    const tail = whole.slice(prefix.length);
    const isSame = /^(?:[/?#]|$)/.test(tail) && !DOT.test(tail) && parseUrl(asText(whole))?.href === below.href;
    return isSame ? tail : null;
  }

  /**
   * Completes a relative URL with the parts that it leaves out, and keeps its spelling. Null: its form is another one.
   */
  private absolute(text: string): string | null {
    if (/^https?:/i.test(text)) return text;
    if (/^\/(?!\/)/.test(text)) return this.origin + text;
    const { pathname, search } = this.target;
    if (text.startsWith('?')) return this.origin + pathname + text;
    if (text.startsWith('#')) return this.origin + pathname + search + text;
    if (/^[^:/\\?#]+(?:[/?#]|$)/.test(text))
      return this.origin + pathname.slice(0, pathname.lastIndexOf('/') + 1) + text;
    return null;
  }
}

/** Header octets are read as Latin-1. Most servers write UTF-8. */
function asText(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[\u0100-\uffff]/.test(text)) return text;
  const octets = Buffer.from(text, 'latin1');
  return isUtf8(octets) ? octets.toString() : text;
}
