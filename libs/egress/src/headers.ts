/** Headers that apply to one connection only (RFC 9110, section 7.6.1, and older names that are still in use). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/**
 * Headers that an agent may not send to an upstream: credentials, the destination and the length of the request
 * (docs/reference/egress.md#request-headers). The last group overrides the method, path, host or client for some
 * upstreams, so that the upstream would handle another request than the gateway has checked. gunicorn takes `Script-Name`
 * and `Path-Info` from headers, and CGI programs take `Proxy` for their own setting.
 */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  'authorization',
  'agent-key',
  'cookie',
  'host',
  'content-length',
  'x-api-key',
  'accept-encoding',
  'expect',
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-original-method',
  'x-original-url',
  'x-original-uri',
  'x-original-host',
  'x-rewrite-url',
  'script-name',
  'x-script-name',
  'path-info',
  'proxy',
  'x-host',
  'x-http-host-override',
  'x-forwarded',
  'forwarded',
  'x-real-ip',
  'client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
]);
const NEVER_FORWARDED_PREFIX = 'x-forwarded-';

/**
 * Headers that an upstream may not send to an agent, or to a browser on the gateway's origin
 * (docs/reference/egress.md#response-headers).
 */
const NEVER_PASSED: ReadonlySet<string> = new Set([
  'set-cookie',
  'set-cookie2',
  'content-length',
  'content-encoding',
  // Orders to one kind of shared cache.
  'edge-control',
  'x-varnish-ttl',
  // The gateway's own headers.
  'x-proxy-status',
  'x-idempotency-status',
  'x-request-id',
  'x-error-code',
  // Browser policy.
  'accept-ch',
  'alt-svc',
  'clear-site-data',
  'content-security-policy',
  'content-security-policy-report-only',
  'critical-ch',
  'document-policy',
  'expect-ct',
  'feature-policy',
  'nel',
  'origin-agent-cluster',
  'origin-trial',
  'permissions-policy',
  'permissions-policy-report-only',
  'public-key-pins',
  'public-key-pins-report-only',
  'referrer-policy',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'sourcemap',
  'speculation-rules',
  'strict-transport-security',
  'supports-loading-mode',
  'timing-allow-origin',
  'x-content-security-policy',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-sourcemap',
  'x-webkit-csp',
  'x-xss-protection',
]);
const NEVER_PASSED_PREFIXES = [
  'access-control-',
  'cross-origin-',
  // The gateway's own names for links that lead out of the service.
  'x-upstream-',
  // Orders to the proxy in front of the gateway: to send a file or another page instead, or to keep the answer.
  'x-accel-',
  'x-sendfile',
  'x-lighttpd-send',
  'x-litespeed-',
  'x-reproxy-',
  'surrogate-',
];

/** `CDN-Cache-Control` (RFC 9213), and the names that providers made of it. */
const OF_ONE_CACHE = /.-cache-control$/;

const NONE: ReadonlySet<string> = new Set();

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A token of RFC 9110, section 5.6.2. */
export const isValidHeaderName = (name: string): boolean => TOKEN.test(name);

/**
 * Allows no control characters except the tab (so no CR, LF or NUL), and no characters that need more than one byte.
 */
export const isValidHeaderValue = (value: string): boolean => FIELD_VALUE.test(value);

/**
 * Returns the agent's headers without those that the gateway sets itself, in any letter case. Headers that `Connection`
 * names are hop-by-hop too. `injectedNames` are the headers that carry the service's credentials.
 */
export function requestHeadersToForward(
  headers: Record<string, string>,
  injectedNames: Iterable<string>,
): Record<string, string> {
  const entries = Object.entries(headers);
  const dropped = connectionTokens(entries);
  // The gateway judged the body by these two headers, so they are forwarded even if `Connection` names them.
  for (const name of ['content-type', 'content-encoding']) dropped.delete(canonicalName(name));
  for (const name of injectedNames) dropped.add(canonicalName(name));
  const kept: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of entries) {
    const canonical = canonicalName(name);
    const isDropped =
      HOP_BY_HOP.has(canonical) ||
      NEVER_FORWARDED.has(canonical) ||
      canonical.startsWith(NEVER_FORWARDED_PREFIX) ||
      dropped.has(canonical);
    if (!isDropped) kept[name] = value;
  }
  return kept;
}

/**
 * CGI, WSGI, PHP and Rack read `X_Original_URL` as `X-Original-URL`. Some CGI servers also read a dot or `!` as a
 * hyphen.
 */
function canonicalName(name: string): string {
  const lower = name.toLowerCase();
  return /[^a-z0-9-]/.test(lower) ? lower.replace(/[^a-z0-9-]/g, '-') : lower;
}

/**
 * Returns the upstream's headers for the agent, in the original order and with duplicates. Drops names and values on
 * which Node's `writeHead` would throw.
 * @param passedToo names in lower case that are passed although they would be dropped
 */
export function responseHeadersToPass(
  headers: [string, string][],
  passedToo: ReadonlySet<string> = NONE,
): [string, string][] {
  const dropped = connectionTokens(headers);
  return headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    return (
      !HOP_BY_HOP.has(lower) &&
      (!NEVER_PASSED.has(lower) || passedToo.has(lower)) &&
      !dropped.has(canonicalName(name)) &&
      !NEVER_PASSED_PREFIXES.some((prefix) => lower.startsWith(prefix)) &&
      !OF_ONE_CACHE.test(lower) &&
      isValidHeaderName(name) &&
      isValidHeaderValue(value)
    );
  });
}

/** The names that any `Connection` header lists. */
function connectionTokens(entries: [string, string][]): Set<string> {
  const names = new Set<string>();
  for (const [name, value] of entries) {
    if (name.length === 10 && name.toLowerCase() === 'connection') {
      for (const token of value.split(',')) names.add(canonicalName(token.trim()));
    }
  }
  return names;
}
