/**
 * The URLs in an upstream's headers. HTTP libraries and SDKs follow them, with the agent's key, so whatever leads out of
 * the service leaves under another name: `X-Upstream-Link` (docs/reference/egress.md#links).
 */
import { headersByName, type Answer } from './answer.js';
import { DIGEST_HEADER } from './companions.js';
import { CLIMBS, MAY_NAME_A_HOST, placedText, type Links } from './text-links.js';

type Header = Answer['headers'][number];

/** What may stay under its own name, and what must not. */
interface Split {
  kept: string | null;
  left: string | null;
}

const PREFIX = 'x-upstream-';
/** The whole value is one URL, which may be relative. */
const ONE_URL = /(?:^|-)location$|^azure-asyncoperation$/;
/** The same, if it looks like one. */
const MAYBE_URL = /(?:^|-)(?:link|links|url|uri|href)$/;
const LOOKS_LIKE_URL = /^\s*(?:[/?.\\]|[a-z][a-z\d+.-]*:)/i;
/** Says how to read the body. The URLs in it are names that nobody requests. */
const NEVER_FOLLOWED = new Set(['content-type', 'content-disposition', 'etag']);
/** A digest in letters, digits and base64. It may contain two slashes, but no scheme and no name of a domain. */
const DIGEST_VALUE = /^(?:(?!\b(?:https?|wss?|ftp|file):)[\w+/=:;,"?\s-])*$/i;
/** Matches a value in which another URL follows the first one. */
const LIST = /[\s,;<>"'](?:[a-z][a-z\d+.-]{0,30}:)?[/\\]{2}/i;
/** One entry of a Link. Simple parsers read whatever stands in angle brackets, even inside quotes. */
const LINK = /^\s*<([^<>]*)>([^<>]*)$/;
/** A delay, a separator and mostly `url=`; then the URL, with or without quotes. */
const REFRESH = /^(\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?)(["']?)(.+)\2$/i;

/** So many URLs are read in the headers of one answer. Usual answers have a few. */
const URLS_MAX = 250;
/**
 * Rewriting adds at most this many characters to all headers: a URL of three characters can become one of thousands.
 */
const GROWTH_MAX = 64 * 1024;

/**
 * Returns the headers with each URL as `links` gives it. Values that lead out of the service get the header name
 * `X-Upstream-<name>`.
 * @param links called only if there is a URL
 */
export function withPlacedLinks(headers: Header[], links: () => Links): Header[] {
  // Most answers have no URL. Looking at each line alone is enough: a URL that arises when a client joins two lines
  // already begins in one of them.
  if (!headers.some(([name, value]) => mayBeginLink(name.toLowerCase(), value))) return headers;
  const linked = [...headersByName(headers)].filter(([name, values]) => mayHaveLink(name, [values].flat().join(', ')));
  const made = bounded(links());
  const splits = new Map(linked.map(([name, values]) => [name, splitAll(name, [values].flat(), made).values()]));
  return headers.flatMap((header) => {
    const lower = header[0].toLowerCase();
    const split = splits.get(lower)?.next().value;
    if (split === undefined) return [header];
    const { kept, left } = split;
    return [
      ...(kept === null ? [] : [[header[0], kept] satisfies Header]),
      ...(left === null ? [] : [[PREFIX + lower, left] satisfies Header]),
    ];
  });
}

/** Treats a URL beyond the limits like one that leads out of the service. */
function bounded(links: Links): Links {
  let [urls, growth] = [0, 0];
  return {
    url(text) {
      urls += 1;
      if (urls > URLS_MAX) return null;
      const here = links.url(text);
      if (here !== null) growth += Math.max(0, here.length - text.length);
      return growth > GROWTH_MAX ? null : here;
    },
  };
}

/** A digest too: the next line of the same name may make a URL of it. */
function mayBeginLink(name: string, value: string): boolean {
  if (NEVER_FOLLOWED.has(name) || name.startsWith(PREFIX)) return false;
  return isNameOfUrl(name) || MAY_NAME_A_HOST.test(value);
}

/** @param value all lines of this name */
const mayHaveLink = (name: string, value: string): boolean =>
  mayBeginLink(name, value) && (isNameOfUrl(name) || !(DIGEST_HEADER.test(name) && DIGEST_VALUE.test(value)));

const isNameOfUrl = (name: string): boolean => ONE_URL.test(name) || MAYBE_URL.test(name) || name === 'refresh';

/** The values of one name. Clients join them with commas, and together they may be another URL. */
function splitAll(name: string, values: string[], links: Links): Split[] {
  if (name === 'link') return values.map((value) => splitLink(value, links));
  const all = values.map((value) => placedValue(name, value, links));
  const isOne = values.length === 1 || (placedValue(name, values.join(', '), links) !== null && !values.some(climbs));
  const stay = isOne && !all.includes(null);
  return values.map((value, n) => (stay ? { kept: all[n], left: null } : { kept: null, left: value }));
}

/**
 * Whether a value after the first one climbs, as `/..` does. At the API, a path can't climb above the root. On the
 * gateway, it would lead from one service to another.
 */
const climbs = (value: string, n: number): boolean => n > 0 && CLIMBS.test(value);

/** @returns null if it leaves */
function placedValue(name: string, value: string, links: Links): string | null {
  if (name === 'refresh') return refresh(value, links);
  const isUrl = ONE_URL.test(name) || (MAYBE_URL.test(name) && LOOKS_LIKE_URL.test(value) && !LIST.test(value));
  return isUrl ? links.url(value) : placedText(value, links);
}

/** Each entry for itself. */
function splitLink(value: string, links: Links): Split {
  const kept: string[] = [];
  const left: string[] = [];
  const entries = splitEntries(value);
  if (entries.length > URLS_MAX) return { kept: null, left: value };
  for (const entry of entries) {
    const here = linkEntry(entry, links);
    if (here === null) left.push(entry);
    else kept.push(here);
  }
  const joined = (entries: string[]): string | null => (entries.length === 0 ? null : entries.join(',').trim());
  return { kept: joined(kept), left: joined(left) };
}

function linkEntry(entry: string, links: Links): string | null {
  if (entry.trim() === '') return entry;
  const [, target, parameters] = LINK.exec(entry) ?? [];
  if (target === undefined) return null;
  const url = links.url(target);
  const rest = placedText(parameters, links);
  return url === null || rest === null ? null : `${entry.slice(0, entry.indexOf('<'))}<${url}>${rest}`;
}

/** Splits at commas, but not inside angle brackets or quotes. */
function splitEntries(value: string): string[] {
  const entries: string[] = [];
  let [from, closing] = [0, ''];
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at];
    if (closing === '"' && character === '\\') at += 1;
    else if (closing !== '') closing = character === closing ? '' : closing;
    else if (character === '<') closing = '>';
    else if (character === '"') closing = '"';
    else if (character === ',') {
      entries.push(value.slice(from, at));
      from = at + 1;
      if (entries.length > URLS_MAX) break;
    }
  }
  return [...entries, value.slice(from)];
}

function refresh(value: string, links: Links): string | null {
  // Trimmed here, because a pattern for the spaces at the end would take quadratic time.
  const trimmed = value.trimEnd();
  if (/^[\s\d.]*$/.test(trimmed)) return value;
  const match = REFRESH.exec(trimmed);
  const here = match === null ? null : links.url(match[3]);
  return here === null ? null : match![1] + match![2] + here + match![2];
}
