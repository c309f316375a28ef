/** The URLs in a text of a header (docs/reference/egress.md#links). */
import type { ServiceLinks } from './service-links.js';

export type Links = Pick<ServiceLinks, 'url'>;

/** A value without any of these names no host. */
export const MAY_NAME_A_HOST = /\/\/|[\\\t]|:\/|(?:https?|wss?|ftp|file):/i;
/**
 * Where a URL begins: at its scheme, or at two slashes at the start or after a separator. In a text, two slashes with a
 * blank after them begin no URL.
 */
const START = /(?<![a-z\d+.-])(?:https?|wss?|ftp|file):|:[/\\]{2}|(?<![^\s<>"'=,;(){}[\]|])[/\\]{2}(?=\S)/gi;
/** Only some readers take this for a URL. A pattern in `START` for it would take time quadratic in the blanks. */
const SLASHES_AND_BLANK = /^\s*[/\\]{2}(?:\s|$)/;
/** Where it ends. A comma or semicolon may be part of it, unless another URL follows. */
const END = /[\s<>"']|[,;](?=\s|$|[/\\]{2}|(?:https?|wss?|ftp|file):|[a-z][a-z\d+.-]{0,30}:[/\\])/gi;
const SCHEME_MAX = 32;
/** The whole text may be one URL. */
const BEGINS = /^\s*(?:(?:https?|wss?|ftp|file):|[a-z][a-z\d+.-]*:[/\\]{2}|[/\\]{2})/i;
/** The URL ends with its host, so that what follows could extend the host. */
const OPEN_HOST = /^(?:[a-z][a-z\d+.-]*:)?[/\\]*[^/\\?#]*$/i;
/** What follows a host may not make it user information, and what follows a path may not climb. */
const EXTENDS_HOST = /[@/\\]/;
export const CLIMBS = /[/\\](?:\.|%2e)/i;

/**
 * A text that may contain URLs. A URL that is a whole item or a whole quoted string is placed, because programs request
 * it. One inside a sentence stays, if nothing that follows can extend it.
 * @returns null if one of them leads out of the service
 */
export function placedText(value: string, links: Links): string | null {
  if (!MAY_NAME_A_HOST.test(value)) return value;
  if (BEGINS.test(value) && links.url(value) === null) return null;
  const isJson = /^\s*[[{]/.test(value);
  let result = '';
  for (const [part, isQuoted] of quotedParts(value)) {
    const here = isQuoted ? quoted(part, isJson, links) : unquoted(part, links);
    if (here === null) return null;
    result += here;
  }
  return result;
}

/** The text in parts, of which every second one is a string in double quotes. A quote inside a word opens none. */
function* quotedParts(value: string): Generator<[part: string, isQuoted: boolean]> {
  const opening = /(?<![^\s=:,;([{<])"/g;
  let from = 0;
  for (let match = opening.exec(value); match !== null; match = opening.exec(value)) {
    const start = match.index;
    let end = start + 1;
    while (end < value.length && value[end] !== '"') end += value[end] === '\\' ? 2 : 1;
    if (end >= value.length) break;
    yield [value.slice(from, start), false];
    yield [value.slice(start, end + 1), true];
    opening.lastIndex = from = end + 1;
  }
  yield [value.slice(from), false];
}

/** A string of JSON, or of HTTP, where a backslash only makes the next character stand for itself. */
function quoted(part: string, isJson: boolean, links: Links): string | null {
  const inner = part.slice(1, -1);
  if (!inner.includes('\\')) {
    const here = string(inner, links);
    return here === null ? null : `"${here}"`;
  }
  const ofHttp = inner.replace(/\\(.)/gs, '$1');
  const ofJson = jsonString(part);
  // Simple readers of headers leave backslashes in, and readers of URLs take them for slashes.
  if (!isJson && /^[/\\]{2}/.test(inner) && links.url(inner) === null) return null;
  if (string(ofHttp, links) === null) return null;
  if (ofJson === null) return part;
  const here = string(ofJson, links);
  if (here === null) return null;
  if (here === ofJson) return part;
  // Raw octets beside escapes: nobody knows in which charset both are read.
  if (/[^\x20-\x7e]/.test(inner)) return null;
  const written = inner.includes('\\/') ? JSON.stringify(here).replaceAll('/', '\\/') : JSON.stringify(here);
  return written.replace(/[^\x20-\x7e]/g, unicodeEscape);
}

/** A header holds no character above U+00FF. */
const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

function jsonString(part: string): string | null {
  try {
    return JSON.parse(part) as string;
  } catch {
    return null;
  }
}

const string = (value: string, links: Links): string | null =>
  BEGINS.test(value) && links.url(value) === null ? null : unquoted(value, links);

function unquoted(value: string, links: Links): string | null {
  // Readers of URLs leave control characters out, and nobody writes them into URLs.
  const visible = value.replace(/[^\x20-\uffff]/g, '');
  if (SLASHES_AND_BLANK.test(visible)) return null;
  if (visible !== value) return visible.search(START) === -1 ? value : null;
  let [result, copied] = ['', 0];
  for (let found = nextUrl(value, 0); found !== null;) {
    const { start, end } = found;
    const next = nextUrl(value, end);
    const here = placedUrl(value, found, next?.start ?? value.length, links);
    if (here === null) return null;
    result += value.slice(copied, start) + here;
    copied = end;
    found = next;
  }
  return result + value.slice(copied);
}

interface Found {
  start: number;
  end: number;
}

function nextUrl(value: string, from: number): Found | null {
  START.lastIndex = from;
  const match = START.exec(value);
  if (match === null) return null;
  const start = match[0].startsWith(':') ? schemeBefore(value, match.index, from) : match.index;
  END.lastIndex = START.lastIndex;
  return { start, end: END.exec(value)?.index ?? value.length };
}

function schemeBefore(value: string, colon: number, from: number): number {
  let start = colon;
  while (start > from && colon - start < SCHEME_MAX && /[a-z\d+.-]/i.test(value[start - 1])) start -= 1;
  return start;
}

/** @param until where the next URL begins @returns null if some reader may read a URL that leads out of the service */
function placedUrl(value: string, { start, end }: Found, until: number, links: Links): string | null {
  const url = value.slice(start, end);
  const here = links.url(url);
  if (here === null) return null;
  const hasOpenHost = OPEN_HOST.test(url);
  if (hasOpenHost && /^\S/.test(value.slice(end, end + 1))) return null;
  if ((hasOpenHost ? EXTENDS_HOST : CLIMBS).test(value.slice(end, until))) return null;
  if (isItem(value, start, end)) return here;
  // A URL inside a sentence is not rewritten. If it may be the whole text, or if readers may understand it differently,
  // it counts as a URL that leads out of the service.
  return value.slice(0, start).trim() === '' || url.includes('\\') ? null : url;
}

/** Whether nothing but separators is around it. */
function isItem(value: string, start: number, end: number): boolean {
  const before = value.slice(Math.max(0, start - 16), start).trimEnd();
  const after = value.slice(end, end + 16).trimStart();
  return /(?:^|[<"'=,;([{])$/.test(before) && /^(?:$|[>"',;)\]}])/.test(after);
}
