import { hostname } from 'node:os';

/** What `resolv.conf` says about names that are not written in full (resolv.conf(5)). */
export interface SearchList {
  domains: readonly string[];
  /** A name with at least so many dots is tried as it is first. */
  ndots: number;
}

const NDOTS_MAX = 15;

/** The last `search` or `domain` line counts. Without one, it is the domain of this machine's own name. */
export function parseSearchList(text: string, ownName = hostname()): SearchList {
  let domains = ownName.includes('.') ? [ownName.slice(ownName.indexOf('.') + 1)] : [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    if (keyword === 'search') domains = values;
    else if (keyword === 'domain') domains = values.slice(0, 1);
    else if (keyword === 'options') {
      for (const value of values) {
        const match = /^ndots:(\d{1,9})$/.exec(value);
        if (match) ndots = Math.min(Number(match[1]), NDOTS_MAX);
      }
    }
  }
  return { domains: domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== ''), ndots };
}

/** The full names that a name may mean, in the order in which they are tried. A final dot says that it is full already. */
export function candidatesOf(name: string, { domains, ndots }: SearchList): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const searched = domains.map((domain) => `${name}.${domain}`);
  const dots = name.split('.').length - 1;
  return dots >= ndots ? [name, ...searched] : [...searched, name];
}
