import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { isTargetAddress } from './address-policy.js';
import { dropContinues } from './continue-filter.js';
import { readSmallPieces } from './small-reads.js';
import { RefusedAddressError } from './failure.js';
import { systemResolver, type Resolver } from './name-resolver.js';
import { allowlistKey, hostWithoutBrackets } from './target.js';

/**
 * Returns all addresses of a host name. Fails if there is none, or if any of them is not public: mixed addresses are an
 * attack or a mistake, and it is not predictable which of them a socket would use.
 */
export async function resolvePublic(hostname: string, resolver: Resolver): Promise<LookupAddress[]> {
  const addresses = await resolve(hostname, resolver);
  if (!addresses.every(({ address }) => isTargetAddress(address))) throw new RefusedAddressError();
  return addresses;
}

async function resolve(hostname: string, resolver: Resolver): Promise<LookupAddress[]> {
  const addresses = await resolver(hostname);
  if (addresses.length === 0) throw Object.assign(new Error(`No address for ${hostname}`), { code: 'ENOTFOUND' });
  return addresses;
}

/**
 * A lookup function for the sockets of one origin. The sockets connect to exactly the addresses that are checked here.
 */
function guardedLookup(resolver: Resolver, allowPrivate: boolean): LookupFunction {
  const lookup = allowPrivate ? resolve : resolvePublic;
  return (hostname, options, callback) => {
    lookup(hostname, resolver).then(
      (addresses) => {
        if (options.all) callback(null, addresses);
        else callback(null, addresses[0].address, addresses[0].family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** For sockets to the operator's own servers, whose addresses are not checked. */
export const systemLookup: LookupFunction = guardedLookup(systemResolver, true);

/**
 * A socket reads more while fewer bytes than this wait to be parsed. Bytes that wait cause full garbage collections
 * (docs/adr/0070-turns.md). undici passes the option on to the socket, but its types do not have it.
 */
const SOCKET_OPTIONS: object = { highWaterMark: 16 * 1024 };

/** Opens sockets to one origin, and only to addresses that the policy allows, or to an allowlisted `host:port`. */
export function guardedConnector(
  origin: URL,
  options: {
    privateAllowlist: ReadonlySet<string>;
    resolver: Resolver;
    timeoutMs: number;
    certificate?: { cert: string; key: string };
  },
): buildConnector.connector {
  const allowPrivate = options.privateAllowlist.has(allowlistKey(origin));
  const host = hostWithoutBrackets(origin.hostname);
  // Node does not call the lookup function for a literal address.
  const refused = !allowPrivate && isIP(host) !== 0 && !isTargetAddress(host);
  const connect = buildConnector({
    lookup: guardedLookup(options.resolver, allowPrivate),
    timeout: options.timeoutMs,
    cert: options.certificate?.cert,
    key: options.certificate?.key,
    ...SOCKET_OPTIONS,
  });
  return (target, callback) => {
    if (refused) {
      // undici does not expect the callback before the connector has returned.
      process.nextTick(callback, new RefusedAddressError(), null);
      return;
    }
    // The function returns the socket, although its declared type returns nothing.
    const socket = connect(target, callback) as unknown as Socket;
    socket.on('error', markReset);
    readSmallPieces(socket);
    dropContinues(socket);
  };
}

/**
 * Changes the code of a reset. undici treats a reset within a body without a length as the regular end, and would
 * return a shortened 200. It checks the error code, and this listener runs before undici's own.
 */
function markReset(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET') error.code = 'UPSTREAM_RESET';
}
