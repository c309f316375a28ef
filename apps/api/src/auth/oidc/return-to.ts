const HOME = '/dashboard/';

/** Where the browser goes after a sign-in: a page of the dashboard, and nothing else, whatever a link asks for. */
export function safeReturnTo(asked: unknown): string {
  if (typeof asked !== 'string' || !asked.startsWith('/') || asked.length > 2048) return HOME;
  const here = 'http://gateway.invalid';
  if (!URL.canParse(asked, here)) return HOME;
  // The parser resolves dots, backslashes and line breaks as a browser does.
  const { origin, pathname, search, hash } = new URL(asked, here);
  return origin === here && pathname.startsWith(HOME) ? pathname + search + hash : HOME;
}
