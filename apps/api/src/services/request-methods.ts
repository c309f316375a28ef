import { HTTP_METHODS, METHOD_RISK, type HttpMethod } from '#contracts';

/** The parts of a request that can state a method. */
export interface MethodStatement {
  method: HttpMethod;
  targetUrl: string;
  headers: Record<string, string>;
  body: string | null;
  /** The body with its content coding. */
  rawBody?: string | null;
}

/**
 * The method of a request, and those that `_method` in its query or body asks the upstream to use instead, the most
 * dangerous first. Rails, Laravel, Symfony, Express and others obey this field.
 * See docs/reference/risk.md#rule-methods.
 */
export function requestMethods({ method, targetUrl, headers, body, rawBody }: MethodStatement): HttpMethod[] {
  const methods = new Set([method]);
  const add = (text: string): void => {
    const named = text.trim().toUpperCase();
    // An unknown method (PURGE, UNLINK) may destroy anything.
    if (named !== '') methods.add(HTTP_METHODS.find((known) => known === named) ?? 'DELETE');
  };
  const query = targetUrl.indexOf('?');
  if (query !== -1) inForm(targetUrl.slice(query + 1).split('#', 1)[0]).forEach(add);
  for (const text of [body, rawBody]) {
    if (text) statedInBody(text, contentType(headers)).forEach(add);
  }
  return methods.size === 1 ? [method] : [...methods].sort((one, other) => METHOD_RISK[other] - METHOD_RISK[one]);
}

/** The method that the risk assessment uses. */
export const judgedMethod = (request: MethodStatement): HttpMethod => requestMethods(request)[0];

/** Joins all headers of this name: upstreams differ in which one they read. */
export const contentType = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === 'content-type')
    .map(([, value]) => value.toLowerCase())
    .join(', ');

function statedInBody(body: string, type: string): string[] {
  const mayBe = (kind: string): boolean => type === '' || type.includes(kind);
  return [
    ...(hasOtherLetters(type) && ['urlencoded', 'multipart', 'json'].some(mayBe) ? ['unknown'] : []),
    ...(mayBe('urlencoded') ? inForm(body) : []),
    ...(mayBe('multipart') ? inMultipart(body) : []),
    ...(mayBe('json') ? inJson(body) : []),
  ];
}

const CHARSET = /;\s*charset\*?\s*=\s*["']?([^\s;"',]*)/g;
/** Charsets in which ASCII letters are the bytes of ASCII. */
const LIKE_ASCII =
  /^(?:utf-?8|(?:us-)?ascii|iso-?8859-\d{1,2}|latin-?\d|(?:windows-|cp)125\d|shift[_-]jis|euc-[a-z]{2}|gb\d+|gbk|big5|koi8-[a-z]|)$/;

/** In EBCDIC, UTF-7 or UTF-16, which Java and .NET read in forms, the field may have any bytes. */
const hasOtherLetters = (type: string): boolean =>
  type.includes('charset') && Array.from(type.matchAll(CHARSET)).some(([, charset]) => !LIKE_ASCII.test(charset));

/** A character as it is, or percent-encoded in either letter case. */
const encoded = (character: string): string => {
  const codes = new Set([character.toLowerCase(), character.toUpperCase()]);
  return `(?:${[character.replace(/\W/, '\\$&'), ...Array.from(codes, (each) => `%${each.charCodeAt(0).toString(16)}`)].join('|')})`;
};
/** A pattern, in which each letter and sign of `text` may be encoded. */
const spelled = (text: string): string => text.replace(/[^()?:|]/g, encoded);

/** Names of a method, also in the spellings of PHP (`.method`, `[method`, `_method` + NUL) and Salesforce (`_HttpMethod`). */
const NAME = new RegExp(
  `${spelled('(?:(?:_|.|[)(?:http)?method|x-(?:http-)?method(?:-override)?)')}(?=[=[\\0]|%5b|%00)`,
  'gi',
);
const VALUE = /[^&;=]*=([^&;]*)/y;

/** A genuine request does not name a method this often. */
const NAMED_MAX = 20;

/** A form may have millions of fields, so no other field is read. */
function inForm(text: string): string[] {
  const values: string[] = [];
  for (const { 0: name, index } of text.matchAll(NAME)) {
    if (!beginsField(text, index)) continue;
    VALUE.lastIndex = index + name.length;
    const value = VALUE.exec(text)?.[1];
    if (value === undefined) continue;
    if (values.length === NAMED_MAX) return [...values, 'unknown'];
    values.push(value.length <= VALUE_READ_MAX ? decode(value) : 'unknown');
  }
  return values;
}

const ENCODED_BLANK = /^%(?:0[9a-d]|20|a0)$/i;

/** Some servers read `;` as `&`. PHP skips blanks before a name. */
function beginsField(text: string, start: number): boolean {
  let at = start;
  for (;;) {
    if (/[\s+]/.test(text.charAt(at - 1))) at -= 1;
    else if (ENCODED_BLANK.test(text.slice(Math.max(at - 3, 0), at))) at -= 3;
    else return at === 0 || text[at - 1] === '&' || text[at - 1] === ';';
  }
}

/** No method is longer, however it is encoded. Decoding a value of 10 MB would take seconds. */
const VALUE_READ_MAX = 300;

const decode = (text: string): string =>
  text.replaceAll('+', ' ').replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

/**
 * Lines that name a part, with the lines that continue them. Some readers find the header anywhere in the head. Without a
 * disposition, Rack takes the `Content-ID` for the name. A `^` would also match after U+2028, which is within a line here,
 * and the search would take quadratic time.
 */
const NAMING = /(?<![^\r\n])[^\r\n]*content-(?:disposition|id)[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*/gi;
const PART_NAME =
  /(?:[;\s]name\*?\s*=\s*(?:(?:"|[\w-]*'[\w-]*')\s*)?|content-id[ \t]*:\s*<?)(?:[_.[]|%5f|%2e|%5b)(?:http)?method(?=["'\s;[>]|%00|$)/i;

/** The text after the blank line. An unreadable part counts as an unknown method. */
function inMultipart(body: string): string[] {
  const values: string[] = [];
  for (const { index, 0: head } of body.matchAll(NAMING)) {
    // Rack and others leave backslashes out.
    if (!PART_NAME.test(head.replaceAll('\\', ''))) continue;
    if (values.length === NAMED_MAX) return [...values, 'unknown'];
    const part = body.slice(index, index + 1000);
    values.push(/\r?\n\r?\n\s*([a-z]+)\s*(?:\r?\n|$)/i.exec(part)?.[1] ?? 'unknown');
  }
  return values;
}

/** Any spelling of a key `_method` in JSON, and its value if that is text. */
const JSON_KEY =
  /"(?:_|\\u005f)(?:m|\\u006d)(?:e|\\u0065)(?:t|\\u0074)(?:h|\\u0068)(?:o|\\u006f)(?:d|\\u0064)"\s*:\s*"([^"]*)"/gi;

function inJson(body: string): string[] {
  const values = Array.from(body.matchAll(JSON_KEY), ([, value]) => value);
  if (values.length === 0) return values;
  try {
    const parsed = JSON.parse(body) as unknown;
    const isObject = typeof parsed === 'object' && parsed !== null;
    // A nested field has no special meaning.
    return isObject && Object.keys(parsed).some((key) => key.toLowerCase() === '_method') ? values : [];
  } catch {
    return values;
  }
}
