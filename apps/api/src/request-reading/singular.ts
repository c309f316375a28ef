const INVARIABLE = new Set(['series', 'species', 'news', 'dns', 'sms', 'aws', 'os']);
const IE = new Set(['movies', 'cookies']);

/**
 * The singular of a word, by simple rules. Few results are wrong, and those are still readable. Other words stay as
 * they are.
 */
export function singular(name: string): string {
  const lower = name.toLowerCase();
  if (!/^[a-z][a-z_-]+s$/.test(lower) || /(ss|us|is)$/.test(lower) || INVARIABLE.has(lower)) return name;
  if (lower.endsWith('ies') && !IE.has(lower)) return `${name.slice(0, -3)}y`;
  return /(ss|[tr]us|x|[nrt]ch|sh)es$/.test(lower) ? name.slice(0, -2) : name.slice(0, -1);
}
