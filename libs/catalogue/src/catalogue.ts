/**
 * Well-known APIs: the data that an administrator needs to connect them. Plain data, without secrets. The dashboard
 * fills its form from an entry; the gateway itself does not read it.
 */
import { cloud } from './entries/cloud.js';
import { code } from './entries/code.js';
import { customers } from './entries/customers.js';
import { data } from './entries/data.js';
import { messages } from './entries/messages.js';
import { money } from './entries/money.js';
import { suites } from './entries/suites.js';
import { work } from './entries/work.js';
import type { CatalogueEntry } from './schema.js';

export type { CatalogueAuth, CatalogueEntry, CatalogueRule } from './schema.js';

/** Sorted by name. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  ...cloud,
  ...code,
  ...customers,
  ...data,
  ...messages,
  ...money,
  ...suites,
  ...work,
].sort((a, b) => (a.name < b.name ? -1 : 1));

/**
 * The entries that match every word of the query, best first: those whose name begins with it, then those whose name
 * contains it, then those with the words among their keywords.
 */
export function searchCatalogue(query: string): CatalogueEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const whole = words.join(' ');
  const rank = ({ name }: CatalogueEntry): number => {
    const lower = name.toLowerCase();
    return lower.startsWith(whole) ? 0 : lower.includes(whole) ? 1 : 2;
  };
  return CATALOGUE.filter(({ id, name, keywords }) => {
    const text = [id, name.toLowerCase(), ...keywords].join(' ');
    return words.every((word) => text.includes(word));
  }).sort((a, b) => rank(a) - rank(b));
}

/** The path that tests a connection to the API with this base URL. Null: the catalogue does not have it. */
export function findTestPath(baseUrl: string): string | null {
  const base = baseUrl.replace(/\/+$/, '');
  const entry = CATALOGUE.find((each) => {
    // The path alone does not tell whose API it is.
    if (/^https:\/\/<[a-z]+>(\/|$)/.test(each.baseUrl)) return false;
    const literals = each.baseUrl.split(/<[a-z]+>/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${literals.join('[^/]+')}$`).test(base);
  });
  return entry === undefined || entry.testPath.includes('<') ? null : entry.testPath;
}

/** A copy of the value in which each placeholder `<name>` has its value. A placeholder without a value stays. */
export function filledIn<T>(value: T, values: Readonly<Record<string, string>>): T {
  if (typeof value === 'string')
    return value.replace(/<([a-z]+)>/g, (whole, name: string) => values[name]?.trim() || whole) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => filledIn(item, values)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledIn(item as unknown, values)])) as T;
}
