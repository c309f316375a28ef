import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** The only IPv6 block from which IANA assigns global unicast addresses (RFC 4291, section 2.4). */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Looks public, but inside Azure it is the host's own control endpoint. */
const CLOUD_INTERNAL_V4 = new Set(['168.63.129.16']);

/** ISATAP (RFC 5214) puts an IPv4 address behind this interface identifier, whatever the prefix. */
const ISATAP = 0x5efe;

/**
 * Whether a socket may be opened to this address. What is allowed is stated, not what is banned: global unicast,
 * and no form that carries another address inside. Anything that is not a canonical IP address is refused.
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
 * Whether a target may have this address: public, and none of this machine's own. Behind those, what listens here for
 * the machine alone (the gateway, its database) would answer past every firewall.
 */
export const isTargetAddress = (ip: string): boolean => isPublicAddress(ip) && !isOwnAddress(ip);

function isOwnAddress(ip: string): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === ip));
}
