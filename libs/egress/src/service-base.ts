import { foldCase, fullyDecoded, lenientReadings } from './path.js';
import { parseUrl } from './target.js';

/** A target in the agent's own spelling, parsed once for all services. */
export class WrittenTarget {
  readonly url: URL | null;
  /** The URL after normalisation. */
  readonly normalised: string | null;

  constructor(readonly text: string) {
    this.url = parseUrl(text);
    this.normalised = this.url && withoutUserInfo(this.url);
  }
}

/** The base URL of a service, parsed once. */
export class ServiceBase {
  private readonly url: URL;
  private readonly normalised: string;
  private readonly textStart: string;
  /** Without a trailing slash. */
  private readonly path: string;
  /** The path as the most lenient server reads it. */
  readonly foldedPath: string;

  constructor(readonly text: string) {
    this.url = new URL(text);
    this.normalised = withoutUserInfo(this.url);
    this.textStart = withoutClosingSlash(text);
    this.path = withoutClosingSlash(this.url.pathname);
    this.foldedPath = foldCase(fullyDecoded(this.path));
  }

  /**
   * Whether a target may belong to this service (docs/reference/egress.md#service): it starts with the base URL, as
   * text or after normalisation. Look-alikes match on purpose, so that the guard refuses them with a clear error.
   */
  matches(target: WrittenTarget): boolean {
    return target.text.startsWith(this.text) || (target.normalised?.startsWith(this.normalised) ?? false);
  }

  /** Whether the target is below the base URL on a segment boundary, after normalisation. */
  covers({ url }: WrittenTarget): boolean {
    return url !== null && sameOrigin(url, this.url) && liesBelow(url.pathname, this.path);
  }

  /** The same check for the target as text. */
  coversText({ text }: WrittenTarget): boolean {
    return text.startsWith(this.textStart) && /^(?:[/\\?#]|$)/.test(text.slice(this.textStart.length));
  }

  /**
   * Returns the path from this base URL down to another one; null unless the other one is deeper and has the same
   * origin.
   */
  downTo(other: ServiceBase): string | null {
    const isDeeper = sameOrigin(this.url, other.url) && other.foldedPath.startsWith(`${this.foldedPath}/`);
    return isDeeper ? other.foldedPath.slice(this.foldedPath.length) : null;
  }
}

/** Dot segments, which a URL parser resolves, and backslashes, which it reads as slashes. */
const RESOLVED = /[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)|\\/i;

/**
 * Whether a target that belongs to one service (`own.covers` it) is below the base URL of another service in some
 * server's reading, or as plain text. See docs/reference/egress.md#ambiguous-paths.
 */
export function mayMeanAnother(target: WrittenTarget, own: ServiceBase, all: readonly ServiceBase[]): boolean {
  if (target.url === null) return false;
  const deeper = all.map((other) => own.downTo(other)).filter((path) => path !== null);
  if (deeper.length > 0) {
    const readings = lenientReadings(target.url, own.text);
    if (readings === null || readings.some((reading) => deeper.some((path) => liesBelow(reading, path)))) return true;
  }
  if (!RESOLVED.test(target.text)) return false;
  const written = all
    .filter((base) => base.coversText(target))
    .sort((a, b) => b.foldedPath.length - a.foldedPath.length);
  return written.length > 0 && written[0].foldedPath !== own.foldedPath;
}

const liesBelow = (path: string, basePath: string): boolean => path === basePath || path.startsWith(`${basePath}/`);

const sameOrigin = (one: URL, other: URL): boolean => one.protocol === other.protocol && one.host === other.host;

const withoutClosingSlash = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text);

const withoutUserInfo = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}${url.search}`;
