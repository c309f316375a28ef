import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { clientAddress } from '../platform/http/client-address.js';

/** Where a request came from. */
export interface RequestOrigin {
  /** null if the socket was already closed, or if a trusted proxy sent something that is not an address. */
  address: string | null;
  userAgent: string | null;
  /** null if no request caused the event (the account of `ADMIN_EMAIL`). */
  requestId: string | null;
}

export const NO_REQUEST: RequestOrigin = { address: null, userAgent: null, requestId: null };

const USER_AGENT_SHOWN = 512;

export function readRequestOrigin(request: Request): RequestOrigin {
  return {
    address: clientAddress(request),
    userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_SHOWN) ?? null,
    requestId: request.requestId,
  };
}

/** What counts as one address. For IPv6 it is the /64, because one host can use all addresses in it. */
export function addressBlock(address: string | null): string {
  if (address === null) return 'unknown';
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}
