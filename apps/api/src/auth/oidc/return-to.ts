import { parseUrl } from '#egress';

const HOME = '/dashboard/';

/** Where the browser goes after a sign-in: a page of the dashboard, and nothing else, whatever a link asks for. */
export function safeReturnTo(asked: unknown): string {
  if (typeof asked !== 'string' || !asked.startsWith('/') || asked.length > 2048) return HOME;
  const here = 'http://gateway.invalid';
  // The parser resolves dots, backslashes and line breaks as a browser does.
  const url = parseUrl(asked, here);
  return url?.origin === here && url.pathname.startsWith(HOME) ? url.pathname + url.search + url.hash : HOME;
}
