/** Maximum rounds of percent-decoding. A path that still changes after that is refused. */
const MAX_DECODINGS = 8;
const KEPT_BASES = 1000;

const bases = new Map<string, URL>();

/** Base URLs are parsed once, because each request is compared with one several times. @throws TypeError */
export function parseBase(baseUrl: string): Readonly<URL> {
  let base = bases.get(baseUrl);
  if (base === undefined) {
    base = new URL(baseUrl);
    if (bases.size === KEPT_BASES) bases.clear();
    bases.set(baseUrl, base);
  }
  return base;
}

/**
 * Whether a path is below the base path on a segment boundary, in every way in which a server might read it. Both are
 * `URL.pathname`s, so plain dots are already resolved. What remains are spellings that only a server would decode. See
 * docs/reference/egress.md#path-readings.
 */
export function pathStaysBelow(path: string, basePath: string): boolean {
  if (path === basePath) return true;
  const below = belowBase(path, basePath);
  if (below === null) return false;
  if (PLAIN.test(`/${below}`)) return true;
  const spellings = decodings(below);
  return spellings !== null && !spellings.some(climbsOut);
}

/**
 * Returns the path below the base path, starting with `/`, in each way in which it can be read: as sent; and decoded,
 * with `//` collapsed, dots resolved, `%2f` read as `/`, and without path parameters (`;x`) and a trailing slash. Most
 * paths have one reading. An `allow` must match all of them. `url` must have passed `assertTargetAllowed`.
 */
export function pathReadings(url: URL, baseUrl: string): string[] {
  const below = belowBase(url.pathname, parseBase(baseUrl).pathname) ?? '';
  const exact = `/${below}`;
  if (PLAIN.test(exact)) return [exact];
  const readings = new Set([exact]);
  for (const spelling of decodings(below) ?? []) {
    for (const read of [spelling, withoutParameters(spelling)]) {
      readings.add(collapse(read));
      if (hasEmptyBeforeDots(read)) readings.add(resolveDots(`/${read}`));
    }
  }
  return [...readings];
}

/**
 * Returns the readings of `pathReadings`, and those of servers that also fold letter case, trim spaces and trailing
 * dots, cut a segment or the whole path at `;`, NUL, `?` or `#`, or route without the name of a script. All are in folded
 * case (`foldCase`). A prohibition applies if it matches any of them (docs/reference/risk.md#rule-paths).
 * @returns null for a path with too many long readings, which no legitimate request has
 */
export function lenientReadings(url: Pick<URL, 'pathname'>, baseUrl: string): string[] | null {
  const below = belowBase(url.pathname, parseBase(baseUrl).pathname) ?? '';
  const exact = `/${below}`;
  if (PLAIN.test(exact) && !MAY_NAME_SCRIPT.test(exact)) return [foldCase(exact)];
  return everyReading(below, (path) => {
    const all = cuts(foldCase(path));
    for (const each of [...all]) all.add(each.replace(SCRIPTS, ''));
    return all;
  });
}

/**
 * Returns the readings of `pathReadings`, and those of servers that also trim or cut, as `lenientReadings` does, but in
 * the path's own letter case and with the names of scripts. A permission applies if it matches all of them.
 * @returns null for a path with too many long readings, and for one with hidden dots: nobody knows where it leads
 */
export function strictReadings(url: URL, baseUrl: string): string[] | null {
  const below = belowBase(url.pathname, parseBase(baseUrl).pathname) ?? '';
  const exact = `/${below}`;
  if (PLAIN.test(exact)) return [exact];
  if (decodings(below)?.some((spelling) => segments(spelling).some((segment) => HIDDEN_DOTS.test(segment))))
    return null;
  const others = everyReading(below, cuts);
  return others && [...new Set([exact, ...others])];
}

/** Returns a path in all decodings, trimmed or not, with resolved dots or not. Null if that is too much text. */
function everyReading(below: string, variants: (path: string) => Iterable<string>): string[] | null {
  const readings = new Set<string>();
  let length = 0;
  const add = (reading: string): void => {
    if (readings.has(reading)) return;
    readings.add(reading);
    length += reading.length;
  };
  const spellings = decodings(below);
  if (spellings === null) return null;
  for (const spelling of spellings) {
    for (const variant of variants(`/${spelling.replaceAll('\\', '/')}`)) {
      for (const trimmed of new Set([variant, trimSegments(variant)])) {
        add(trimmed);
        add(trimmed.replace(/(?<=.)\/$/, ''));
        add(trimmed.replace(/\/{2,}/g, '/'));
        add(collapse(trimmed));
        if (hasEmptyBeforeDots(trimmed)) {
          const resolved = resolveDots(trimmed);
          add(resolved);
          add(resolved.replace(/\/{2,}/g, '/'));
        }
        if (length > READINGS_MAX_LENGTH) return null;
      }
    }
  }
  return [...readings];
}

/**
 * Returns the same text for all paths that some server may treat as the same: decoded, in folded case, without
 * parameters, and without the part after a NUL, `?` or `#`. If two paths have different texts, no usual server treats
 * them as the same.
 */
export function widestReading(pathname: string): string {
  if (PLAIN.test(pathname) && !MAY_NAME_SCRIPT.test(pathname)) return foldCase(pathname);
  const path = foldCase(fullyDecoded(pathname).replaceAll('\\', '/'));
  return collapse(
    trimSegments(
      path
        .replace(/[\0?#].*$/s, '')
        .replace(/;[^/]*/g, '')
        .replace(SCRIPTS, ''),
    ),
  );
}

/** Maps all letters that some server treats as equal to one letter: `K`, the Kelvin sign and `k`; `I`, `ı` and `i`. */
export const foldCase = (text: string): string => (isAscii(text) ? text : text.toUpperCase()).toLowerCase();

/** Decodes a text until nothing changes, like the most lenient server. */
export const fullyDecoded = (text: string): string => decodings(text)?.at(-1) ?? text;

/**
 * Segments that every server reads in the same way, except for letter case: no encoding, no dot segments, no spaces,
 * not empty.
 */
const PLAIN = /^(?:\/|(?:\/\.?[\w~:@,=+!$&'()*-]+(?:\.[\w~:@,=+!$&'()*-]+)*)+)$/;

/**
 * Most characters of all readings of one path. Enough for a few readings of the longest path, or very many of a usual
 * one.
 */
const READINGS_MAX_LENGTH = 16_000;

/** The characters at which some servers cut a path. */
const CUTS: readonly (readonly [present: RegExp, segment: RegExp])[] = [
  [/;/, /;[^/]*/g],
  [/\0/, /\0[^/]*/g],
  [/[?#]/, /[?#][^/]*/g],
];

/** `/index.php/users`, as Symfony and Laravel route it, and `/(S(id))/users`, a session of ASP.NET in the path. */
const SCRIPTS = /\/(?:[^/]+\.php|\([a-z]\([^/]*\)\))(?=\/)/g;
const MAY_NAME_SCRIPT = /\.php\/|\/\(/i;

/**
 * Returns all combinations of the path's cut forms. For each kind of character, the path is not cut, or it is cut at
 * the first such character, or each of its segments is cut.
 */
function cuts(path: string): Set<string> {
  const all = new Set([path]);
  for (const [present, segment] of CUTS) {
    for (const each of [...all]) {
      const at = each.search(present);
      if (at === -1) continue;
      all.add(each.slice(0, at));
      all.add(each.replace(segment, ''));
    }
  }
  return all;
}

/** Removes spaces and control characters around segments, and dots at their ends. `.` and `..` stay, without blanks. */
function trimSegments(path: string): string {
  if (!/[\p{Cc}\s.]/u.test(path)) return path;
  return path
    .split('/')
    .map((segment) => {
      const dots = segment.replace(BLANKS, '');
      return dots === '.' || dots === '..' ? dots : trim(segment).replace(FINAL_DOTS, '');
    })
    .join('/');
}

const trim = (segment: string): string =>
  segment.replace(/^[\p{Cc}\s]+/u, '').replace(/(?<![\p{Cc}\s])[\p{Cc}\s]+$/u, '');
/** Also invisible characters, which some file systems ignore. */
const BLANKS = /[\p{Cc}\s\p{Default_Ignorable_Code_Point}]+/gu;
const FINAL_DOTS = /(?<![.\p{Cc}\s])[.\p{Cc}\s]+$/u;

/** Returns the rest of the path after the base path and its slash; null if the path is not below it. */
function belowBase(path: string, basePath: string): string | null {
  if (path === basePath) return '';
  const prefix = basePath.endsWith('/') ? basePath : `${basePath}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : null;
}

/** Caches the last decoded text, because the guard and the rules decode the same one. */
let decoded: { text: string; all: readonly string[] | null } = { text: '', all: [''] };

/** Returns the text itself and each decoding of it until nothing changes; null if that needs too many rounds. */
function decodings(text: string): readonly string[] | null {
  if (decoded.text !== text) decoded = { text, all: decodeAll(text) };
  return decoded.all;
}

function decodeAll(text: string): string[] | null {
  const all = [text];
  for (let current = text; all.length <= MAX_DECODINGS; all.push(current)) {
    const next = decodeOnce(current);
    if (next === current) return all;
    current = next;
  }
  return null;
}

/**
 * Makes one round of decoding, like the most lenient server: `%XX`, IIS's `%uXXXX`, overlong UTF-8 for `.`, `/` and
 * `\`, and characters that compatibility normalisation or the code pages of Windows map to these three: full-width ones,
 * dot leaders, the slashes of fractions and sets.
 */
function decodeOnce(text: string): string {
  if (isAscii(text)) {
    if (!text.includes('%')) return text;
    if (!/%(?:[89a-f]|u)/i.test(text)) {
      return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    }
  }
  return text
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) => decodeBytes(run.replaceAll('%', '')))
    .replace(/%u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .normalize('NFKC')
    .replace(/[\u2044\u2215]/g, '/')
    .replaceAll('\u2216', '\\');
}

/** Also with bytes that can't continue a character, which some decoders don't check. */
const OVERLONG =
  /(?:\xc0|\xe0\x80|\xf0\x80\x80|\xf8\x80\x80\x80|\xfc\x80\x80\x80\x80)([\xae\xaf./\\])|\xc1\x9c|\xe0\x81\x9c/g;
const OVERLONG_READ: Partial<Record<string, string>> = { '\xae': '.', '.': '.', '\xaf': '/', '/': '/' };

function decodeBytes(hex: string): string {
  const bytes = Buffer.from(hex, 'hex').toString('latin1');
  if (isAscii(bytes)) return bytes;
  const plain = bytes.replace(OVERLONG, (_, last = '') => OVERLONG_READ[last as string] ?? '\\');
  return Buffer.from(plain, 'latin1').toString('utf8');
}

const isAscii = (text: string): boolean => !/[\u0080-\uffff]/.test(text);

/** Tomcat and other servers remove `;x` from a segment before they resolve dots, so they read `..;` as `..`. */
const withoutParameters = (path: string): string => path.replace(/;[^/\\]*/g, '');

/** Windows servers read `\` as `/`. */
const segments = (path: string): string[] => path.split(/[/\\]/);

/**
 * What the most lenient server keeps of a segment. NUL ends a C string, `?` and `#` end the path of a URL that a proxy
 * decoded, and Windows trims spaces.
 */
const bareSegment = (segment: string): string => segment.replace(/[;\0?#].*$/s, '').replace(BLANKS, '');

/** A segment that some server may read as `.` or `..`. Windows removes dots at the end, so `...` is like `.`. */
const HIDDEN_DOTS =
  /^[\p{Cc}\s\p{Default_Ignorable_Code_Point}]*\.[\p{Cc}\s\p{Default_Ignorable_Code_Point}.]*(?:[;\0?#].*)?$/su;

/**
 * Whether `..` ever leads above the start. Empty segments add no level, because `//` may be collapsed before dots are
 * resolved.
 */
function climbsOut(path: string): boolean {
  let depth = 0;
  for (const segment of segments(path)) {
    const bare = bareSegment(segment);
    if (bare === '..') depth -= 1;
    else if (bare !== '' && bare !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

function collapse(path: string): string {
  const kept: string[] = [];
  for (const segment of segments(path)) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** This is not one pattern, because that would take time quadratic in the number of slashes. */
function hasEmptyBeforeDots(path: string): boolean {
  const at = path.search(/[/\\]{2}/);
  return at >= 0 && path.includes('..', at);
}

/**
 * Resolves dots as the URL standard does: an empty segment is a level, so `/a//..` is `/a/`. `collapse` reads it as
 * `/`.
 */
function resolveDots(path: string): string {
  const kept: string[] = [];
  const [, ...all] = segments(path);
  for (const [index, segment] of all.entries()) {
    const isDots = segment === '..' || segment === '.';
    if (segment === '..') kept.pop();
    // A path that ends in dots is a folder.
    if (!isDots || index === all.length - 1) kept.push(isDots ? '' : segment);
  }
  return `/${kept.join('/')}`;
}
