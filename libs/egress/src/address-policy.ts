import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** The only IPv6 block from which IANA assigns global unicast addresses (RFC 4291, section 2.4). */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** This address looks public, but inside Azure it is the host's control endpoint. */
const CLOUD_INTERNAL_V4 = new Set(['168.63.129.16']);

/** ISATAP (RFC 5214) embeds an IPv4 address after this interface identifier, with any prefix. */
const ISATAP = 0x5efe;

/**
 * Whether a socket may be opened to this address. This is an allowlist: global unicast addresses, except forms that
 * embed another address. Anything that is not a canonical IP address is refused. See
 * docs/reference/egress.md#addresses.
 */
export function isPublicAddress(ip: string): boolean {
  const version = isIP(ip);
  if (version === 4) {
    return ipaddr.IPv4.parse(ip).range() === 'unicast' && !CLOUD_INTERNAL_V4.has(ip);
  }
  // A zone (`%eth0`) only makes sense on a link, and `isIP` accepts it.
  if (version !== 6 || ip.includes('%')) return false;
  const address = ipaddr.IPv6.parse(ip);
  const embedsIpv4 = address.parts[5] === ISATAP && (address.parts[4] & 0xfdff) === 0;
  return address.match(GLOBAL_UNICAST_V6) && address.range() === 'unicast' && !embedsIpv4;
}

/**
 * Whether a target may have this address: it must be public and not an address of this machine. Through its own
 * addresses, servers that are meant only for this machine (the gateway, its database) could be reached behind the
 * firewall. See docs/reference/egress.md#own-addresses.
 */
export const isTargetAddress = (ip: string): boolean => isPublicAddress(ip) && !isOwnAddress(ip);

function isOwnAddress(ip: string): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === ip));
}
