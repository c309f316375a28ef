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
 * A `deny` must hold if any of them matches, an `allow` only if all do. `url` has passed `assertTargetAllowed`.
 */
export function pathReadings(url: URL, baseUrl: string): string[] {
  const below = belowBase(url.pathname, new URL(baseUrl).pathname) ?? '';
  const readings = new Set([`/${below}`]);
  for (const spelling of decodings(below) ?? []) {
    readings.add(collapse(spelling));
    readings.add(collapse(withoutParameters(spelling)));
  }
  return [...readings];
}

/** What follows the base path and its slash; null if the path is elsewhere. */
function belowBase(path: string, basePath: string): string | null {
  if (path === basePath) return '';
  const prefix = basePath.endsWith('/') ? basePath : `${basePath}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : null;
}

/** The text itself and each further decoding of it until nothing changes; null if that takes too many. */
function decodings(text: string): string[] | null {
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
  if (!text.includes('%') && isAscii(text)) return text;
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
