import type { Request, Response } from 'express';
import { REFRESHING_COOKIE } from '#contracts/headers';

/**
 * The browser's copy of the refresh token, which scripts can't read (docs/reference/dashboard-api.md#refresh-cookie).
 */
const NAME = 'agw_refresh';

const attributes = (request: Request) =>
  ({ httpOnly: true, sameSite: 'strict', path: '/auth', secure: request.secure }) as const;

export function setRefreshCookie(request: Request, response: Response, token: string, ttlSeconds: number): void {
  response.cookie(NAME, token, { ...attributes(request), maxAge: ttlSeconds * 1000 });
  clearRefreshingCookie(request, response);
}

/**
 * The dashboard sets this cookie while it waits for a response. It can't remove it if the page is reloaded meanwhile
 * (ADR 0023).
 */
export function clearRefreshingCookie(request: Request, response: Response): void {
  response.clearCookie(REFRESHING_COOKIE, { path: '/dashboard', sameSite: 'strict', secure: request.secure });
}

export function clearRefreshCookie(request: Request, response: Response): void {
  response.clearCookie(NAME, attributes(request));
  clearRefreshingCookie(request, response);
}

/**
 * Ignores the cookie if the browser reports that another origin sent the request, unless the operator trusts that
 * origin (`CORS_ORIGINS`). `SameSite` alone still allows other ports of the same host and other hosts of the same
 * domain.
 */
export function readRefreshCookie(
  { headers }: Pick<Request, 'headers'>,
  trustedOrigins: readonly string[],
): string | undefined {
  const site = headers['sec-fetch-site'];
  const foreign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (foreign && !trustedOrigins.includes(headers.origin ?? '')) return undefined;
  return findCookie({ headers }, NAME);
}

/** @returns the cookie of this name */
export function findCookie({ headers }: Pick<Request, 'headers'>, name: string): string | undefined {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
