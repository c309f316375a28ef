/** Where to go after logging in: a path of this dashboard only, never another origin. */
export function nextPath(next: string | null): string {
  if (!next || !next.startsWith('/')) return '/approvals';
  try {
    const url = new URL(next, 'http://dashboard.invalid');
    const path = url.pathname + url.search + url.hash;
    // `//host`, `/\host` and the like read as another host somewhere.
    return url.host === 'dashboard.invalid' && !/^[/\\]{2}/.test(path) ? path : '/approvals';
  } catch {
    return '/approvals';
  }
}
