import { promises as dns, type LookupAddress } from 'node:dns';
import { HostsFile } from './hosts-file.js';
import { candidatesOf, parseSearchList, type SearchList } from './search-list.js';
import { WatchedFile } from './watched-file.js';

/** Every address of a host name. */
export type Resolver = (hostname: string) => Promise<LookupAddress[]>;

/** Of one question to one nameserver; the second and last try has twice as long. */
const TRY_MS = 2_000;
const TRIES = 2;
/** Of a look-up with all its questions. */
const LOOKUP_MS = 10_000;

export interface NameResolverOptions {
  /** `address:port` of nameservers; by default the system's. */
  servers?: string[];
  hostsFile?: string;
  resolvConf?: string;
}

/**
 * Finds addresses as the C library does, from the hosts file and from DNS with the search list, but without its blocking
 * call: that takes one of the four threads which all of Node shares, so that a few names of a dead zone would hold up every
 * other name, files and compression. Here a look-up that waits takes a socket and some memory, and all who ask for the same
 * name at the same time wait for the same one.
 */
export class NameResolver {
  private readonly hosts: HostsFile;
  private readonly searchList: WatchedFile<SearchList>;
  private readonly pending = new Map<string, Promise<LookupAddress[]>>();

  constructor(private readonly options: NameResolverOptions = {}) {
    this.hosts = new HostsFile(options.hostsFile);
    this.searchList = new WatchedFile(options.resolvConf ?? '/etc/resolv.conf', (text) => parseSearchList(text));
  }

  /** Rejects with the code `ENOTFOUND` if there is no such name, else with `EAI_AGAIN`. */
  readonly resolve: Resolver = (hostname) => {
    const name = hostname.toLowerCase();
    const known = this.hosts.find(name);
    if (known) return Promise.resolve(known);
    const pending = this.pending.get(name) ?? this.search(name).finally(() => this.pending.delete(name));
    this.pending.set(name, pending);
    return pending;
  };

  /** Tries what the name may mean, one after the other. */
  private async search(name: string): Promise<LookupAddress[]> {
    // A new one knows the nameservers of this moment, and asks from a port that nobody can guess.
    const client = new dns.Resolver({ timeout: TRY_MS, tries: TRIES });
    if (this.options.servers) client.setServers(this.options.servers);
    const deadline = setTimeout(() => client.cancel(), LOOKUP_MS);
    let candidates = candidatesOf(name, this.searchList.content());
    let failure: unknown = null;
    try {
      for (let next = candidates.shift(); next !== undefined; next = candidates.shift()) {
        const answer = await ask(client, next);
        if (Array.isArray(answer)) return answer;
        if (!isUnknownName(answer.error)) failure = answer.error;
        // A nameserver that says nothing is not asked for the rest of the list, only for the name as it is.
        if (codeOf(answer.error) === 'ETIMEOUT') candidates = candidates.filter((candidate) => candidate === name);
        if (codeOf(answer.error) === 'ECANCELLED') break;
      }
    } finally {
      clearTimeout(deadline);
    }
    throw Object.assign(new Error(`No address for ${name}`, { cause: failure }), {
      code: failure === null ? 'ENOTFOUND' : 'EAI_AGAIN',
    });
  }
}

/** One for the process, so that all clients share their look-ups. */
export const systemResolver: Resolver = new NameResolver().resolve;

/** Both families; IPv4 first, since it works almost everywhere. One of them is enough. */
async function ask(client: dns.Resolver, name: string): Promise<LookupAddress[] | { error: unknown }> {
  const [v4, v6] = await Promise.allSettled([client.resolve4(name), client.resolve6(name)]);
  const addresses: LookupAddress[] = [];
  if (v4.status === 'fulfilled') addresses.push(...v4.value.map((address) => ({ address, family: 4 })));
  if (v6.status === 'fulfilled') addresses.push(...v6.value.map((address) => ({ address, family: 6 })));
  if (addresses.length > 0) return addresses;
  const errors = [v4, v6].flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  return { error: errors.find((error) => !isUnknownName(error)) ?? errors[0] };
}

/** The nameserver knows that there is no such name, or no such record of it. */
const isUnknownName = (error: unknown): boolean => ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(codeOf(error));

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? '';
