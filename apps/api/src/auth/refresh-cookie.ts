import type { Request, Response } from 'express';
import { REFRESHING_COOKIE } from '#contracts/headers';

/** The browser's copy of the refresh token, out of reach of scripts (contract 2). */
const NAME = 'agw_refresh';

const attributes = (request: Request) =>
  ({ httpOnly: true, sameSite: 'strict', path: '/auth', secure: request.secure }) as const;

export function setRefreshCookie(request: Request, response: Response, token: string, ttlSeconds: number): void {
  response.cookie(NAME, token, { ...attributes(request), maxAge: ttlSeconds * 1000 });
  // The dashboard's mark that this answer was awaited: a page that was reloaded since can't take it away itself (ADR 0023).
  response.clearCookie(REFRESHING_COOKIE, { path: '/dashboard', sameSite: 'strict', secure: request.secure });
}

export function clearRefreshCookie(request: Request, response: Response): void {
  response.clearCookie(NAME, attributes(request));
}

/**
 * Not taken from a request that the browser says another origin made, unless the operator trusts it (`CORS_ORIGINS`):
 * `SameSite` lets through other ports of one host, and other names under one domain.
 */
export function readRefreshCookie(
  { headers }: Pick<Request, 'headers'>,
  trustedOrigins: readonly string[],
): string | undefined {
  const site = headers['sec-fetch-site'];
  const foreign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (foreign && !trustedOrigins.includes(headers.origin ?? '')) return undefined;
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1);
}
