import { isIP } from 'node:net';
import { isTargetAddress } from './address-policy.js';
import { parseBase, pathStaysBelow } from './path.js';

/**
 * Why a target was refused. `invalid_url`, `scheme` and `user_info` are malformed requests (400), the others violate
 * the policy (403).
 */
type EgressRefusalCode =
  | 'invalid_url'
  | 'scheme'
  | 'user_info'
  | 'host_mismatch'
  | 'path_mismatch'
  | 'private_address'
  | 'localhost'
  | 'own_address';

/** A target that may not be reached. docs/reference/egress.md#below-base-url lists the messages. */
export class EgressRefusal extends Error {
  override readonly name = 'EgressRefusal';

  constructor(
    readonly code: EgressRefusalCode,
    message: string,
  ) {
    super(message);
  }
}

export const PRIVATE_ADDRESS_MESSAGE = 'Access to private IP ranges is forbidden';

/** Names for this machine, besides `localhost` and all names below it (RFC 6761, and the usual hosts files). */
const LOCAL_NAMES = new Set(['localhost', 'localhost6', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback']);
/** Names under which clouds serve instance credentials. They are refused whatever they resolve to. */
const METADATA_NAMES = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data']);

const CONTROL_CHARACTER = /\p{Cc}/u;

/** Parses a target like a browser (WHATWG). Allows only http and https, and no user info. Throws `EgressRefusal`. */
export function parseTarget(targetUrl: string): URL {
  // The parser would silently remove tabs and line breaks. No legitimate URL has them.
  const url = CONTROL_CHARACTER.test(targetUrl) ? null : parseUrl(targetUrl);
  if (!url) throw new EgressRefusal('invalid_url', 'targetUrl: must be a valid URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressRefusal('scheme', 'Only HTTP and HTTPS protocols are allowed');
  }
  if (url.username !== '' || url.password !== '' || hasUserInfoMark(targetUrl)) {
    throw new EgressRefusal('user_info', 'targetUrl: must not contain user information');
  }
  return url;
}

/** Detects empty user info, as in `http://@host`, which the parser drops. */
function hasUserInfoMark(text: string): boolean {
  // A pattern that ends in @ would take time quadratic in the length of the text.
  return /^[^/?#\\]*[/\\]*[^/?#\\]*/.exec(text.trim())![0].includes('@');
}

interface TargetOptions {
  /** `host:port` entries that may resolve to private addresses (see `allowlistKey`). */
  privateAllowlist: ReadonlySet<string>;
  /** Never allowed as targets, even if they are allowlisted. */
  ownTargets?: ReadonlySet<string>;
  /** false: entries of the allowlist are refused like any private address. Default true. */
  mayUsePrivate?: boolean;
}

/**
 * The egress guard's check of the URL's text: scheme, host and port equal those of the base URL, the path is below the
 * base path, and the host is no private address, no local name and none of `ownTargets`, for which there is no
 * exception. The addresses of a name are checked when it is resolved. Returns the URL to connect to. See
 * docs/reference/egress.md#below-base-url.
 */
export function assertTargetAllowed(targetUrl: string, baseUrl: string, options: TargetOptions): URL {
  const target = parseTarget(targetUrl);
  // The cache of base URLs is not for addresses that are checked alone, such as those of receivers.
  const base = baseUrl === targetUrl ? target : parseBase(baseUrl);
  if (target.protocol !== base.protocol || target.host !== base.host) {
    const [shown, expected] = distinguish(target, base);
    throw new EgressRefusal('host_mismatch', `Target hostname (${shown}) does not match service baseUrl (${expected})`);
  }
  if (!pathStaysBelow(target.pathname, base.pathname)) {
    throw new EgressRefusal('path_mismatch', `Target path must start with service baseUrl path (${base.pathname})`);
  }
  if (options.ownTargets?.has(allowlistKey(target).replace(/(?<!\.)\.+:/, ':'))) {
    throw new EgressRefusal('own_address', 'Access to the gateway itself is forbidden');
  }
  const isListed = options.privateAllowlist.has(allowlistKey(target));
  if (isListed && options.mayUsePrivate !== false) return target;
  refusePrivateHost(target.hostname);
  // The name looks public, but its entry in the allowlist shows that it is private.
  if (isListed) throw new EgressRefusal('private_address', PRIVATE_ADDRESS_MESSAGE);
  return target;
}

/** Returns the shortest pair of texts that shows the difference: hosts, else with ports, else with schemes too. */
function distinguish(target: URL, base: URL): [string, string] {
  if (target.hostname !== base.hostname) return [target.hostname, base.hostname];
  const keys: [string, string] = [allowlistKey(target), allowlistKey(base)];
  return keys[0] === keys[1] ? [`${target.protocol}//${keys[0]}`, `${base.protocol}//${keys[1]}`] : keys;
}

/**
 * Refuses literal private addresses and names that are local by definition. `hostname` is in the form of `URL`, with
 * brackets.
 */
function refusePrivateHost(hostname: string): void {
  const literal = hostWithoutBrackets(hostname);
  if (isIP(literal) !== 0) {
    if (!isTargetAddress(literal)) throw new EgressRefusal('private_address', PRIVATE_ADDRESS_MESSAGE);
    return;
  }
  const name = hostname.replace(/(?<!\.)\.+$/, '');
  if (LOCAL_NAMES.has(name) || name.endsWith('.localhost')) {
    throw new EgressRefusal('localhost', 'Access to localhost is forbidden');
  }
  if (METADATA_NAMES.has(name)) throw new EgressRefusal('private_address', PRIVATE_ADDRESS_MESSAGE);
}

/** `[::1]` -> `::1`. */
export const hostWithoutBrackets = (hostname: string): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;

/** The form of an origin in `PRIVATE_TARGET_ALLOWLIST`: literal host and explicit port. */
export const allowlistKey = (url: URL): string =>
  `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;

/**
 * Returns null if the text is not a URL. It does not use `URL.canParse`: once Node 20 has optimized that function, it
 * reads Latin-1 as UTF-8. Then it accepts texts for which the constructor throws, and refuses others that are valid.
 */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
