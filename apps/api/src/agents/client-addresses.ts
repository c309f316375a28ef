import { BlockList, isIP } from 'node:net';
import { plainAddress } from '../platform/http/client-address.js';

/** Built once for each list, which lives as long as the view of its agent. */
const built = new WeakMap<readonly string[], BlockList>();

/** Whether an entry is an IP address or a range in CIDR notation. */
export function isAddressRange(entry: string): boolean {
  const [address, prefix, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/**
 * Whether a client address is in the list. An empty list allows every address; an unknown address is in no other list.
 */
export function allowsAddress(list: readonly string[], address: string | undefined): boolean {
  if (list.length === 0) return true;
  const plain = address === undefined ? null : plainAddress(address);
  if (plain === null) return false;
  let ranges = built.get(list);
  if (ranges === undefined) built.set(list, (ranges = toBlockList(list)));
  return ranges.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6');
}

/** An address for an error text. A trusted proxy may send anything. */
export function shownAddress(address: string): string {
  return plainAddress(address) ?? 'an unknown address';
}

function toBlockList(list: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const entry of list) {
    const [address, prefix] = entry.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) ranges.addAddress(address, family);
    else ranges.addSubnet(address, Number(prefix), family);
  }
  return ranges;
}
