/**
 * The URLs in an upstream's headers. HTTP libraries and SDKs follow them, with the agent's key, so whatever leads out of
 * the service leaves under another name: `X-Upstream-Link` (docs/reference/egress.md#links).
 */
import type { Answer } from './answer.js';
import { DIGEST_HEADER } from './companions.js';
import type { ServiceLinks } from './service-links.js';

type Links = Pick<ServiceLinks, 'url'>;
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
/** A value without any of these names no host. */
const MAY_NAME_A_HOST = /\/\/|[\\\t]|:\/|(?:https?|wss?|ftp|file):/i;
/** A delay, a separator and mostly `url=`; then the URL, with or without quotes. */
const REFRESH = /^(\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?)(["']?)(.+)\2$/i;

/** Where a URL begins: at its scheme, or at two slashes that nothing precedes. */
const START = /(?:https?|wss?|ftp|file):|:[/\\]{2}|(?<![^\s<>"'=,;(){}[\]|])[/\\]{2}(?=\S)/gi;
/** Where it ends. A comma or semicolon may be part of it, unless another URL follows. */
const END = /[\s<>"']|[,;](?=\s|$|[/\\]{2}|(?:https?|wss?|ftp|file):|[a-z][a-z\d+.-]{0,30}:[/\\])/gi;
const SCHEME_MAX = 32;

/** So many URLs are read in the headers of one answer. Usual answers have a few. */
const URLS_MAX = 250;
/** So much longer may rewriting make all headers together: a URL of three characters can become one of thousands. */
const GROWTH_MAX = 64 * 1024;

/**
 * The headers with each URL as `links` gives it, and what leads out of the service under `X-Upstream-<name>`.
 * @param links called only if there is a URL
 */
export function withPlacedLinks(headers: Header[], links: () => Links): Header[] {
  if (!headers.some(mayHaveLink)) return headers;
  const made = bounded(links());
  return headers.flatMap((header) => (mayHaveLink(header) ? placed(header, made) : [header]));
}

/** URLs above the bounds leave like those that lead out of the service. */
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

function mayHaveLink([name, value]: Header): boolean {
  const lower = name.toLowerCase();
  if (NEVER_FOLLOWED.has(lower) || lower.startsWith(PREFIX) || DIGEST_HEADER.test(lower)) return false;
  return ONE_URL.test(lower) || MAYBE_URL.test(lower) || lower === 'refresh' || MAY_NAME_A_HOST.test(value);
}

function placed([name, value]: Header, links: Links): Header[] {
  const { kept, left } = split(name.toLowerCase(), value, links);
  return [
    ...(kept === null ? [] : [[name, kept] satisfies Header]),
    ...(left === null ? [] : [[PREFIX + name.toLowerCase(), left] satisfies Header]),
  ];
}

function split(name: string, value: string, links: Links): Split {
  if (name === 'link') return splitLink(value, links);
  if (name === 'refresh') return stays(value, refresh(value, links));
  if (ONE_URL.test(name) || (MAYBE_URL.test(name) && LOOKS_LIKE_URL.test(value))) return stays(value, links.url(value));
  return stays(value, text(value, links));
}

const stays = (value: string, placedValue: string | null): Split =>
  placedValue === null ? { kept: null, left: value } : { kept: placedValue, left: null };

/** Each entry for itself. Simple parsers read whatever stands in angle brackets, even inside quotes. */
function splitLink(value: string, links: Links): Split {
  const kept: string[] = [];
  const left: string[] = [];
  for (const entry of entriesOf(value)) {
    const here = linkEntry(entry, links);
    if (here === null) left.push(entry);
    else kept.push(here);
  }
  const joined = (entries: string[]): string | null => (entries.length === 0 ? null : entries.join(',').trim());
  return { kept: joined(kept), left: joined(left) };
}

function linkEntry(entry: string, links: Links): string | null {
  const parts = entry.split(/(<[^<>]*>)/);
  const placedParts = parts.map((part, n) => {
    if (n % 2 === 0) return text(part, links);
    const here = links.url(part.slice(1, -1));
    return here === null ? null : `<${here}>`;
  });
  return placedParts.includes(null) ? null : placedParts.join('');
}

/** Splits at commas, but not inside angle brackets or quotes. */
function entriesOf(value: string): string[] {
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
    }
  }
  return [...entries, value.slice(from)];
}

function refresh(value: string, links: Links): string | null {
  // Trimmed here, because a pattern for the spaces at the end would take time quadratic in the length of the value.
  const trimmed = value.trimEnd();
  if (/^[\s\d.]*$/.test(trimmed)) return value;
  const match = REFRESH.exec(trimmed);
  const here = match === null ? null : links.url(match[3]);
  return here === null ? null : match![1] + match![2] + here + match![2];
}

/**
 * A text that may contain URLs. A URL that is a whole item or a whole quoted string is placed, because programs request
 * it. One inside a sentence stays. @returns null if one of them leads out of the service
 */
function text(value: string, links: Links): string | null {
  if (!MAY_NAME_A_HOST.test(value)) return value;
  // Readers of URLs leave tabs out.
  if (value.includes('\t') && unquoted(value.replaceAll('\t', ''), links) === null) return null;
  const isJson = /^\s*[[{]/.test(value);
  let result = '';
  for (const [part, isQuoted] of quotedParts(value)) {
    const here = isQuoted ? quoted(part, isJson, links) : unquoted(part, links);
    if (here === null) return null;
    result += here;
  }
  return result;
}

/** The text in parts, of which every second one is a string in double quotes. */
function* quotedParts(value: string): Generator<[part: string, isQuoted: boolean]> {
  let from = 0;
  for (let start = value.indexOf('"'); start !== -1; start = value.indexOf('"', from)) {
    let end = start + 1;
    while (end < value.length && value[end] !== '"') end += value[end] === '\\' ? 2 : 1;
    if (end >= value.length) break;
    yield [value.slice(from, start), false];
    yield [value.slice(start, end + 1), true];
    from = end + 1;
  }
  yield [value.slice(from), false];
}

/** A string of JSON, or of HTTP, where a backslash only makes the next character stand for itself. */
function quoted(part: string, isJson: boolean, links: Links): string | null {
  const inner = part.slice(1, -1);
  if (!inner.includes('\\')) {
    const here = item(inner, links);
    return here === null ? null : `"${here}"`;
  }
  const ofHttp = inner.replace(/\\(.)/gs, '$1');
  const ofJson = jsonString(part);
  // Simple readers of headers leave backslashes in, and readers of URLs take them for slashes.
  if (!isJson && /^[/\\]{2}/.test(inner) && links.url(inner) === null) return null;
  if (unquoted(ofHttp, links) === null || (ofJson !== null && unquoted(ofJson, links) === null)) return null;
  const here = ofJson === null ? null : item(ofJson, links);
  if (here === null || here === ofJson) return part;
  // Raw octets beside escapes: nobody knows in which charset both are read.
  if (/[^\x20-\x7e]/.test(inner)) return null;
  const written = inner.includes('\\/') ? JSON.stringify(here).replaceAll('/', '\\/') : JSON.stringify(here);
  return written.replace(/[^\x20-\x7e]/g, escaped);
}

/** A header holds no character above U+00FF. */
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

function jsonString(part: string): string | null {
  try {
    return JSON.parse(part) as string;
  } catch {
    return null;
  }
}

const item = (value: string, links: Links): string | null =>
  /^[a-z][a-z\d+.-]*:[/\\]|^[/\\]{2}/i.test(value) && !/[\s<>"']/.test(value)
    ? links.url(value)
    : unquoted(value, links);

function unquoted(value: string, links: Links): string | null {
  let [result, copied] = ['', 0];
  START.lastIndex = 0;
  for (let match = START.exec(value); match !== null; match = START.exec(value)) {
    const start = match[0].startsWith(':') ? schemeBefore(value, match.index, copied) : match.index;
    END.lastIndex = START.lastIndex;
    const end = END.exec(value)?.index ?? value.length;
    const url = value.slice(start, end);
    const here = links.url(url);
    if (here === null) return null;
    // Inside a sentence nobody rewrites a URL that readers may understand differently.
    const isWhole = isItem(value, start, end);
    if (!isWhole && /[\\]/.test(url)) return null;
    result += value.slice(copied, start) + (isWhole ? here : url);
    START.lastIndex = copied = end;
  }
  return result + value.slice(copied);
}

function schemeBefore(value: string, colon: number, from: number): number {
  let start = colon;
  while (start > from && colon - start < SCHEME_MAX && /[a-z\d+.-]/i.test(value[start - 1])) start -= 1;
  return start;
}

/** Whether nothing but separators is around it. */
function isItem(value: string, start: number, end: number): boolean {
  const before = value.slice(Math.max(0, start - 16), start).trimEnd();
  const after = value.slice(end, end + 16).trimStart();
  return /(?:^|[<"'=,;([{])$/.test(before) && /^(?:$|[>"',;)\]}])/.test(after);
}
