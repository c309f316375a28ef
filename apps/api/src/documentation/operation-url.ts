/**
 * The URL of an operation, with the `{parameters}` of its path. The paths of a document can be relative to the base
 * URL, to the document's own server, or to the host.
 */
export function operationUrl(baseUrl: string, { path, serverPath }: { path: string; serverPath: string }): string {
  const { origin, pathname } = new URL(baseUrl);
  const base = pathname.replace(/\/+$/, '');
  if (isBelow(serverPath, base)) return origin + serverPath + path;
  return base !== '' && isBelow(path, base) ? origin + path : origin + base + path;
}

/**
 * The pattern of a rule about an operation: its path below the base URL, with wildcards for its parameters. Null: no pattern
 * is about it alone.
 */
export function operationPattern(
  baseUrl: string,
  { path, comparedPath, serverPath }: { path: string; comparedPath: string | null; serverPath: string },
): string | null {
  const compared = comparedPath ?? path;
  if (compared === '' || /[?#]/.test(compared)) return null;
  const { origin, pathname } = new URL(baseUrl);
  const base = origin + pathname.replace(/\/+$/, '');
  const below = operationUrl(baseUrl, { path: compared, serverPath }).slice(base.length);
  const pattern = below.replace(/\{[^{}]*\+\}/g, '**').replace(/\{[^{}]*\}/g, '*');
  return /[{}]/.test(pattern) ? null : pattern;
}

const isBelow = (path: string, base: string): boolean => path === base || path.startsWith(`${base}/`);
