/** The one place that reads the address of a client, from a socket or from a proxy. */
import type { NextFunction, Request, Response } from 'express';
import { isIP, isIPv4, SocketAddress } from 'node:net';

/** Longer than any address with a zone, a port and quotes. */
const ADDRESS_MAX = 128;
/** More proxies than there are in front of any gateway. Each nearer one writes its entry further to the right. */
const FORWARDED_MAX = 32;

/**
 * The address in its one spelling. Proxies also send it with a port (`203.0.113.7:51234`, `[2001:db8::5]:443`) or in
 * quotes. A zone (`%eth0`) is the sender's own name of an interface. A socket that listens on IPv6 shows an IPv4 client
 * as `::ffff:192.0.2.1`.
 * @returns null if the text is no address: even a trusted proxy may pass on anything
 */
export function plainAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  const written = text.trim();
  if (written.length > ADDRESS_MAX) return null;
  const unquoted = written.replace(/^"/, '').replace(/"$/, '');
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(unquoted)?.[1];
  const address = (bracketed ?? unquoted.replace(/^([\d.]+):\d{1,5}$/, '$1')).replace(/%[^\s%]*$/, '');
  if (isIP(address) === 0 || (bracketed !== undefined && isIPv4(address))) return null;
  if (isIPv4(address)) return address;
  // ipaddr.js would read `::192.0.2.1` as the IPv4 address, which it is not.
  return new SocketAddress({ address, family: 'ipv6' }).address.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Express derives the address according to TRUST_PROXY. A client that has disconnected has none. */
export function clientAddress({ ip }: Pick<Request, 'ip'>): string | null {
  return ip === undefined ? null : plainAddress(ip);
}

/**
 * Puts the addresses of X-Forwarded-For into their one spelling before Express counts or compares them: it would not
 * recognise a trusted proxy with a port. What is no address stays, so that a count of proxies stays right. Entries on
 * the left are dropped if there are too many: a client can send thousands of its own, and each costs time.
 */
export function plainForwardedFor(request: Request, _response: Response, next: NextFunction): void {
  const header = request.headers['x-forwarded-for'];
  if (typeof header === 'string' && !isIPv4(header)) {
    request.headers['x-forwarded-for'] = header
      .split(',')
      .slice(-FORWARDED_MAX)
      .map((entry) => plainAddress(entry) ?? entry.trim())
      .join(', ');
  }
  next();
}
