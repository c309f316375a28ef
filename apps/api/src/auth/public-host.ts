import type { Request } from 'express';
import { parseUrl } from '#egress';
import type { HttpConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';

/**
 * A provider sends the browser back to PUBLIC_URL. The cookie that ties its answer to the browser must be there, so a
 * sign-in must not begin at another host.
 */

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Whether a page that a browser opened is at another host. A loopback host says nothing: many proxies put the address
 * of the gateway in place of the host.
 */
export function isAtOtherHost(request: Request, { publicUrl }: HttpConfig): boolean {
  const hostname = (request.hostname as string | undefined)?.toLowerCase();
  if (publicUrl === null || hostname === undefined || LOOPBACK.test(hostname)) return false;
  return hostname !== new URL(publicUrl).hostname;
}

/**
 * @throws ApiError 400 if a page of another host sent the request. Browsers name that host in `Origin`, and no proxy
 * changes this header.
 */
export function assertPublicHost(request: Request, { publicUrl, corsOrigins }: HttpConfig): void {
  const { origin } = request.headers;
  if (publicUrl === null || origin === undefined || corsOrigins.includes(origin.toLowerCase())) return;
  if (parseUrl(origin)?.hostname === new URL(publicUrl).hostname) return;
  throw errors.otherHost(publicUrl);
}
