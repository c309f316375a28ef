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

const isBelow = (path: string, base: string): boolean => path === base || path.startsWith(`${base}/`);
