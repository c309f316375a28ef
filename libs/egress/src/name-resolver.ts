import { promises as dns, type LookupAddress } from 'node:dns';
import { HostsFile } from './hosts-file.js';
import { listCandidates, parseSearchList, type SearchList } from './search-list.js';
import { WatchedFile } from './watched-file.js';

/** Returns every address of a host name. */
export type Resolver = (hostname: string) => Promise<LookupAddress[]>;

/** Time limit for one query to one nameserver. The second and last try has twice as long. */
const TRY_MS = 2_000;
const TRIES = 2;
/** Time limit for a lookup with all its queries. */
const LOOKUP_MS = 10_000;

interface NameResolverOptions {
  /** `address:port` of nameservers. Default: the system's nameservers. */
  servers?: string[];
  hostsFile?: string;
  resolvConf?: string;
}

/**
 * Resolves names like the C library, from the hosts file and from DNS with the search list, but without its blocking
 * call. That call uses one of the four threads that all of Node shares, so a few names in a dead zone would block all
 * other lookups, file access and compression. Here, a waiting lookup only uses a socket and some memory. Lookups of the
 * same name at the same time share one query.
 */
export class NameResolver {
  private readonly hosts: HostsFile;
  private readonly searchList: WatchedFile<SearchList>;
  private readonly pending = new Map<string, Promise<LookupAddress[]>>();

  constructor(private readonly options: NameResolverOptions = {}) {
    this.hosts = new HostsFile(options.hostsFile);
    this.searchList = new WatchedFile(options.resolvConf ?? '/etc/resolv.conf', (text) => parseSearchList(text));
  }

  /** Rejects with the code `ENOTFOUND` if the name does not exist, and with `EAI_AGAIN` for other failures. */
  readonly resolve: Resolver = (hostname) => {
    const name = hostname.toLowerCase();
    const known = this.hosts.find(name);
    if (known) return Promise.resolve(known);
    const pending = this.pending.get(name) ?? this.search(name).finally(() => this.pending.delete(name));
    this.pending.set(name, pending);
    return pending;
  };

  /** Tries the candidates for the full name one after the other. */
  private async search(name: string): Promise<LookupAddress[]> {
    // A new resolver uses the current nameservers and an unpredictable port.
    const client = new dns.Resolver({ timeout: TRY_MS, tries: TRIES });
    if (this.options.servers) client.setServers(this.options.servers);
    const deadline = setTimeout(() => client.cancel(), LOOKUP_MS);
    let candidates = listCandidates(name, this.searchList.content());
    let failure: unknown = null;
    try {
      for (let next = candidates.shift(); next !== undefined; next = candidates.shift()) {
        const answer = await ask(client, next);
        if (Array.isArray(answer)) return answer;
        if (!isUnknownName(answer.error)) failure = answer.error;
        // If the nameserver does not respond, the rest of the search list is skipped, except for the name itself.
        if (readCode(answer.error) === 'ETIMEOUT') candidates = candidates.filter((candidate) => candidate === name);
        if (readCode(answer.error) === 'ECANCELLED') break;
      }
    } finally {
      clearTimeout(deadline);
    }
    throw Object.assign(new Error(`No address for ${name}`, { cause: failure }), {
      code: failure === null ? 'ENOTFOUND' : 'EAI_AGAIN',
    });
  }
}

/** One resolver for the process, so that all clients share their lookups. */
export const systemResolver: Resolver = new NameResolver().resolve;

/** Queries both address families; one of them is enough. IPv4 comes first, because it works almost everywhere. */
async function ask(client: dns.Resolver, name: string): Promise<LookupAddress[] | { error: unknown }> {
  const [v4, v6] = await Promise.allSettled([client.resolve4(name), client.resolve6(name)]);
  const addresses: LookupAddress[] = [];
  if (v4.status === 'fulfilled') addresses.push(...v4.value.map((address) => ({ address, family: 4 })));
  if (v6.status === 'fulfilled') addresses.push(...v6.value.map((address) => ({ address, family: 6 })));
  if (addresses.length > 0) return addresses;
  const errors = [v4, v6].flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  return { error: errors.find((error) => !isUnknownName(error)) ?? errors[0] };
}

/** Whether the nameserver says that the name, or a record of this type for it, does not exist. */
const isUnknownName = (error: unknown): boolean => ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(readCode(error));

const readCode = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? '';
