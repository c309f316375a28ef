/** Finds text in a request that speaks to the risk model (docs/reference/risk.md#injections). */
import { INJECTION, STEMS } from './injection-patterns.js';
import { hasMarkup, withoutMarkup } from './markup.js';
import { maskedEnds, maskHeader, maskQuery, maskTokens, type Mask } from '../request-reading/masks.js';
import { plainText, type PlainText } from './plain-text.js';
import type { RequestPart, RiskRequest } from './risk-verdict.js';

export interface Injections {
  /** Where such text was found. */
  parts: RequestPart[];
  /** The first of it, as plain text without quotation marks. null: none was found. */
  quote: string | null;
  /** Parts that are too long: only their ends were searched. */
  unsearched: RequestPart[];
}

/** How much of the start and of the end of a part is searched. The search blocks the process. */
export const SEARCHED_ENDS = 128 * 1024;
const QUOTE_MAX = 80;
/** How far a pattern can reach before and after its stem. */
const BEFORE = 200;
const AFTER = 400;

export function injectionsIn({ intent, targetUrl, headers, body, bodyDescription }: RiskRequest): Injections {
  const searched: Record<RequestPart, Searched> = {
    intent: toSearched(intent, maskTokens),
    url: toSearched(targetUrl, maskQuery),
    headers: endsOfAll(headers),
    body: endsOfBody(body ?? '', bodyDescription ?? null),
  };
  const found: Injections = { parts: [], quote: null, unsearched: [] };
  for (const [part, { text, isWhole }] of Object.entries(searched) as [RequestPart, Searched][]) {
    if (!isWhole) found.unsearched.push(part);
    const quote = firstIn(text);
    if (quote === null) continue;
    found.parts.push(part);
    found.quote ??= quote;
  }
  return found;
}

type PlainReading = Pick<PlainText, 'searched' | 'quoted'>;

interface Searched {
  text: string;
  isWhole: boolean;
}

/** The model does not see what is masked. */
function toSearched(text: string, mask: Mask): Searched {
  if (text.length <= 2 * SEARCHED_ENDS) return { text: mask(text), isWhole: true };
  return { text: maskedEnds(text, SEARCHED_ENDS, SEARCHED_ENDS, mask).join('\n'), isWhole: false };
}

/** Of a binary body the model sees a description, where the fields of a form are text and not bytes. */
function endsOfBody(body: string, description: string | null): Searched {
  const bytes = toSearched(body, maskTokens);
  if (description === null) return bytes;
  const shown = toSearched(description, maskTokens);
  return { text: `${shown.text}\n${bytes.text}`, isWhole: shown.isWhole && bytes.isWhole };
}

function endsOfAll(headers: Record<string, string>): Searched {
  const entries = Object.entries(headers);
  const length = entries.reduce((sum, [name, value]) => sum + name.length + value.length + 3, 0);
  if (length <= 2 * SEARCHED_ENDS) {
    return {
      text: entries.map(([name, value]) => maskTokens(`${name}: ${maskHeader(name)(value)}`)).join('\n'),
      isWhole: true,
    };
  }
  const first = fillingAnEnd(entries);
  const last = fillingAnEnd(entries.slice(first).reverse());
  const lines = [...entries.slice(0, first), ...entries.slice(entries.length - last)].map(([name, value]) => {
    const { text, isWhole } = toSearched(value, maskHeader(name));
    return { text: `${name}: ${text}`, isWhole };
  });
  const { text, isWhole } = toSearched(lines.map((line) => line.text).join('\n'), maskTokens);
  return { text, isWhole: isWhole && first + last === entries.length && lines.every((line) => line.isWhole) };
}

/** How many of these headers are searched. Masking all of them could take long. */
function fillingAnEnd(headers: [string, string][]): number {
  let length = 0;
  for (const [at, [name, value]] of headers.entries()) {
    if (length >= SEARCHED_ENDS) return at;
    length += name.length + value.length;
  }
  return headers.length;
}

function firstIn(text: string): string | null {
  for (const reading of plainReadings(text)) {
    const found = firstInPlain(reading);
    if (found !== null) return found;
  }
  return null;
}

/** What nobody sees, and markup, can cut a word in two, or stand between two words. */
function* plainReadings(text: string): Generator<PlainReading> {
  const plain = plainText(text);
  yield* withAndWithoutMarkup(plain);
  if (plain.hasUnseen) yield* withAndWithoutMarkup(plainText(text, 'blank'));
}

function* withAndWithoutMarkup(plain: PlainReading): Generator<PlainReading> {
  yield plain;
  if (!hasMarkup(plain.searched)) return;
  for (const markup of ['none', 'blank'] as const) {
    const bare = withoutMarkup(plain.searched, markup);
    yield { searched: bare, quoted: bare };
  }
}

function firstInPlain({ searched, quoted }: PlainReading): string | null {
  if (searched.search(STEMS) === -1) return null;
  for (const [from, to] of windows(searched)) {
    const found = INJECTION.exec(searched.slice(from, to));
    if (found !== null) return tidy(quoted.slice(from + found.index, from + found.index + 2 * QUOTE_MAX));
  }
  return null;
}

/** The text around stems. No two windows overlap, so that no character is searched twice. */
function* windows(text: string): Generator<[from: number, to: number]> {
  let from = 0;
  let to = 0;
  for (const { index } of text.matchAll(STEMS)) {
    if (index - BEFORE > to) {
      if (to > 0) yield [from, to];
      from = index - BEFORE;
    }
    to = index + AFTER;
  }
  if (to > 0) yield [from, to];
}

/** Quotation marks, and primes, accents and ornaments that look like one. */
const LIKE_QUOTES = /[\p{Quotation_Mark}`´¨ʹ-ʾˈˊˋ˝ˮ˵˶՚׳״᾽᾿῾‛′-‷⁗❛-❠❮❯〃＂＇]/gu;

/** Nothing in a quotation ends it, or changes how the text around it looks. */
function tidy(text: string): string {
  const plain = text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(LIKE_QUOTES, "'")
    .trim();
  return plain.length > QUOTE_MAX ? `${plain.slice(0, QUOTE_MAX - 1)}…` : plain;
}
