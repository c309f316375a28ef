import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** Where a request came from. */
export interface RequestOrigin {
  /** Null when the socket was gone already, or a trusted proxy named something that is no address. */
  address: string | null;
  userAgent: string | null;
  /** Null for what no request caused (the account of `ADMIN_EMAIL`). */
  requestId: string | null;
}

export const NO_REQUEST: RequestOrigin = { address: null, userAgent: null, requestId: null };

const USER_AGENT_SHOWN = 512;

export function originOf(request: Request): RequestOrigin {
  const { ip } = request;
  return {
    // `process`: an IPv4 client of a dual-stack socket is the same client.
    address: ip !== undefined && ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : null,
    userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_SHOWN) ?? null,
    requestId: request.requestId,
  };
}

/** What counts as one address: of IPv6 the /64, since one host has all of it to choose from. */
export function addressBlock(address: string | null): string {
  if (address === null) return 'unknown';
  const [bare] = address.split('%');
  return ipaddr.IPv6.isValid(bare) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${bare}/64`).toString()}/64` : bare;
}
