/** Rounds of percent-decoding that are followed; a path that still changes after so many is refused. */
const MAX_DECODINGS = 8;

/**
 * Whether a path lies below the base path on a segment boundary, in every way in which a server might read it. Both are
 * `URL.pathname`s, so plain dots are resolved already; what is left are spellings that only a server would decode.
 */
export function pathStaysBelow(path: string, basePath: string): boolean {
  if (path === basePath) return true;
  const below = belowBase(path, basePath);
  if (below === null) return false;
  const spellings = decodings(below);
  return spellings !== null && !spellings.some(climbsOut);
}

/**
 * The path below the base path, starting with `/`, in each way in which it can be read: as sent, and decoded with `//`
 * collapsed, dots resolved, `%2f` taken for `/`, path parameters (`;x`) and a closing slash left out. Most paths have one reading.
 * An `allow` must hold for all of them. `url` has passed `assertTargetAllowed`.
 */
export function pathReadings(url: URL, baseUrl: string): string[] {
  const below = belowBase(url.pathname, new URL(baseUrl).pathname) ?? '';
  const exact = `/${below}`;
  if (PLAIN.test(exact)) return [exact];
  const readings = new Set([exact]);
  for (const spelling of decodings(below) ?? []) {
    readings.add(collapse(spelling));
    readings.add(collapse(withoutParameters(spelling)));
  }
  return [...readings];
}

/**
 * The readings above, and those of servers that also fold letter case, trim blanks and final dots, or cut a segment or the
 * whole path at `;`, NUL, `?` or `#`. All are in folded case (`foldCase`). What is forbidden for one of them is forbidden
 * (docs/reference/risk.md#rule-paths).
 * @returns null for a path with so many long readings that nobody can mean it
 */
export function lenientReadings(url: URL, baseUrl: string): string[] | null {
  const below = belowBase(url.pathname, new URL(baseUrl).pathname) ?? '';
  if (PLAIN.test(`/${below}`)) return [foldCase(`/${below}`)];
  const spellings = decodings(below);
  if (spellings === null) return null;
  const readings = new Set<string>();
  let length = 0;
  const add = (reading: string): void => {
    if (readings.has(reading)) return;
    readings.add(reading);
    length += reading.length;
  };
  for (const spelling of spellings) {
    for (const cut of cuts(`/${foldCase(spelling.replaceAll('\\', '/'))}`)) {
      for (const trimmed of new Set([cut, trimSegments(cut)])) {
        add(trimmed);
        add(trimmed.replace(/(?<=.)\/$/, ''));
        add(trimmed.replace(/\/{2,}/g, '/'));
        add(collapse(trimmed));
        if (length > READINGS_MAX_LENGTH) return null;
      }
    }
  }
  return [...readings];
}

/** One case for all letters that some server takes for each other: `K`, the Kelvin sign and `k`; `I`, `ı` and `i`. */
export const foldCase = (text: string): string => (isAscii(text) ? text : text.toUpperCase()).toLowerCase();

/** All decodings of a text undone at once, as the most lenient server does. */
export const fullyDecoded = (text: string): string => decodings(text)?.at(-1) ?? text;

/** Neither encoded, nor dotted, nor blank, nor empty: segments that every server reads alike but for their letter case. */
const PLAIN = /^(?:\/|(?:\/\.?[\w~:@,=+!$&'()*-]+(?:\.[\w~:@,=+!$&'()*-]+)*)+)$/;

/** Characters of all readings of one path: a longest path in a few readings, or a usual one in very many. */
const READINGS_MAX_LENGTH = 16_000;

/** What servers make of a path at characters that end it for some: each one by itself, and all of them. */
const CUTS: readonly (readonly [present: RegExp, segment: RegExp])[] = [
  [/;/, /;[^/]*/g],
  [/\0/, /\0[^/]*/g],
  [/[?#]/, /[?#][^/]*/g],
  [/[;\0?#]/, /[;\0?#][^/]*/g],
];

/** The path itself, and cut: in each segment where it has a character that ends it, and as a whole at the first one. */
function cuts(path: string): Set<string> {
  const all = new Set([path]);
  for (const [present, segment] of CUTS) {
    const at = path.search(present);
    if (at === -1) continue;
    all.add(path.slice(0, at));
    all.add(path.replace(segment, ''));
  }
  return all;
}

/** Without blanks and control characters around segments, nor dots at their ends; `.` and `..` stay. */
function trimSegments(path: string): string {
  if (!/[\p{Cc}\s.]/u.test(path)) return path;
  return path
    .split('/')
    .map((segment) => {
      const bare = trim(segment);
      return bare === '.' || bare === '..' ? bare : bare.replace(FINAL_DOTS, '');
    })
    .join('/');
}

const trim = (segment: string): string =>
  segment.replace(/^[\p{Cc}\s]+/u, '').replace(/(?<![\p{Cc}\s])[\p{Cc}\s]+$/u, '');
const FINAL_DOTS = /(?<![.\p{Cc}\s])[.\p{Cc}\s]+$/u;

/** What follows the base path and its slash; null if the path is elsewhere. */
function belowBase(path: string, basePath: string): string | null {
  if (path === basePath) return '';
  const prefix = basePath.endsWith('/') ? basePath : `${basePath}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : null;
}

/** The last text that was decoded: the guard and the rules ask for the same one. */
let decoded: { text: string; all: readonly string[] | null } = { text: '', all: [''] };

/** The text itself and each further decoding of it until nothing changes; null if that takes too many. */
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
 * One round of decoding, as lenient as the most lenient server: `%XX`, IIS's `%uXXXX`, overlong UTF-8 for `.`, `/` and
 * `\`, and the full-width and dot-leader characters that compatibility normalisation folds to them.
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
    .normalize('NFKC');
}

const OVERLONG = /(?:\xc0|\xe0\x80|\xf0\x80\x80)([\xae\xaf])|\xc1\x9c|\xe0\x81\x9c/g;

function decodeBytes(hex: string): string {
  const bytes = Buffer.from(hex, 'hex').toString('latin1');
  if (isAscii(bytes)) return bytes;
  const plain = bytes.replace(OVERLONG, (_, last?: string) =>
    last === undefined ? '\\' : last === '\xae' ? '.' : '/',
  );
  return Buffer.from(plain, 'latin1').toString('utf8');
}

const isAscii = (text: string): boolean => !/[\u0080-\uffff]/.test(text);

/** Tomcat and others drop `;x` from a segment before they resolve dots, so `..;` is a `..`. */
const withoutParameters = (path: string): string => path.replace(/;[^/\\]*/g, '');

/** Windows servers take `\` for `/`. */
const segments = (path: string): string[] => path.split(/[/\\]/);

/** Whether `..` ever leads above the start. Empty segments give no depth, since `//` may be collapsed before dots are resolved. */
function climbsOut(path: string): boolean {
  let depth = 0;
  for (const segment of segments(path)) {
    // A NUL ends a C string and Windows trims blanks, so either may hide behind or around the dots.
    const bare = withoutParameters(segment)
      .split('\0')[0]
      .replace(/[\p{Cc}\s]/gu, '');
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
