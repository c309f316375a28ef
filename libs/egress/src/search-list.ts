import { hostname } from 'node:os';

/** The settings in `resolv.conf` for names that are not fully qualified (resolv.conf(5)). */
export interface SearchList {
  domains: readonly string[];
  /** A name with at least this many dots is first tried as it is. */
  ndots: number;
}

const NDOTS_MAX = 15;

/** Uses the last `search` or `domain` line. Without one, uses the domain of this machine's own name. */
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

/**
 * Returns the full names that a name can mean, in the order in which they are tried. A name with a trailing dot is
 * already full.
 */
export function listCandidates(name: string, { domains, ndots }: SearchList): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const searched = domains.map((domain) => `${name}.${domain}`);
  const dots = name.split('.').length - 1;
  return dots >= ndots ? [name, ...searched] : [...searched, name];
}
