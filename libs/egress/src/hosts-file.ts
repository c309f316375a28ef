import { isIP } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { WatchedFile } from './watched-file.js';

const SYSTEM_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Looks names up in the current hosts file. It takes precedence over DNS, as in the usual `nsswitch.conf`. */
export class HostsFile {
  private readonly file: WatchedFile<Map<string, LookupAddress[]>>;

  constructor(path = SYSTEM_FILE) {
    this.file = new WatchedFile(path, parseHosts);
  }

  /**
   * Returns the addresses of a name; null if the file does not have it. `localhost` is never looked up in DNS (RFC
   * 6761).
   */
  find(hostname: string): LookupAddress[] | null {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const known = this.file.content().get(name);
    if (known) return known;
    return name === 'localhost' || name.endsWith('.localhost') ? LOOPBACK : null;
  }
}

/** Parses lines with an address and its names. `#` starts a comment. Lines without a valid address are skipped. */
function parseHosts(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address, ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      const known = names.get(name);
      if (known) known.push({ address, family });
      else names.set(name, [{ address, family }]);
    }
  }
  return names;
}
