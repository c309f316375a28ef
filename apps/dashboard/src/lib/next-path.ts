/** The page after login. Only paths of this dashboard are accepted, never another origin. */
export function nextPath(next: string | null): string {
  if (!next || !next.startsWith('/')) return '/approvals';
  try {
    const url = new URL(next, 'http://dashboard.invalid');
    const path = url.pathname + url.search + url.hash;
    // Some browsers read `//host` and `/\host` as another host.
    return url.host === 'dashboard.invalid' && !/^[/\\]{2}/.test(path) ? path : '/approvals';
  } catch {
    return '/approvals';
  }
}
