import { timesAsLong } from '../test/linear-time.js';
import fc from 'fast-check';
import { pathReadings, pathStaysBelow } from './path.js';

const ORIGIN = 'https://api.example.com';
const pathname = (path: string): string => new URL(ORIGIN + path).pathname;

/** Pieces of path traversals, in every spelling that some server decodes. */
const piece = fc.constantFrom(
  ...['.', '%2e', '%252e', '%25252e', '%c0%ae', '%u002e', '%ef%bc%8e'],
  ...['/', '\\', '%2f', '%5c', '%252F', '%c0%af', '%ef%bc%8f', '//', '/./', ';x', '%00', '%20'],
  ...['..', '..', '/..', '%2e%2e%2f', 'a', 'v1', 'admin', '%61', '%', '%2', '%25', '?', '#', '%3f', '%23'],
);
const hostilePath = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));

/** The most lenient server: decodes until nothing changes, then resolves the path. Shares no code with the guard. */
function reachedBy(path: string): string[] {
  let text = path;
  for (let previous = ''; previous !== text;) {
    previous = text;
    text = text
      .replace(/%c0%ae/gi, '.')
      .replace(/%c0%af/gi, '/')
      .replace(/%ef%bc%8e/gi, '.')
      .replace(/%ef%bc%8f/gi, '/')
      .replace(/%u002e/gi, '.')
      .replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  }
  const stack: string[] = [];
  for (const segment of text.split(/[/\\]+/)) {
    const name = segment.split(/[;\0?#]/)[0].trim();
    if (name === '..') stack.pop();
    else if (name !== '' && name !== '.') stack.push(name);
  }
  return stack;
}

it('allows only paths that even the most lenient server resolves below the base', () => {
  let allowed = 0;
  fc.assert(
    fc.property(hostilePath, fc.constantFrom('/v1', '/v1/', '/a/b'), (hostile, base) => {
      const path = pathname(base + hostile);
      if (!pathStaysBelow(path, base)) return;
      allowed += 1;
      const baseSegments = base.split('/').filter(Boolean);
      expect(reachedBy(path).slice(0, baseSegments.length)).toEqual(baseSegments);
    }),
    { numRuns: 5000 },
  );
  // A guard that refuses everything would satisfy the property, so this checks that some paths are allowed.
  expect(allowed).toBeGreaterThan(100);
});

it('allows every path of ordinary encoded segments', () => {
  const segment = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((text) => /[\p{L}\p{N}]/u.test(text) && !/[\\/%;\0]/.test(text.normalize('NFKC')) && text.isWellFormed());
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 5 }), (names) => {
      const path = pathname(`/v1/${names.map(encodeURIComponent).join('/')}`);
      expect(pathStaysBelow(path, '/v1')).toBe(true);
    }),
  );
});

it.each([
  '/v1evil',
  '/v1/%2e%2e%2fadmin',
  '/v1/..%2fadmin',
  '/v1/%252e%252e%252fadmin',
  '/v1/..;/admin',
  '/v1/..%23/admin',
  '/v1/..%3fx/admin',
  '/v1/.%e2%80%8b./admin',
  '/v1/%f8%80%80%80%ae./admin',
  '/v1/..%e2%88%95admin',
  '/',
  '/V1',
  '/v1%2fx',
])('%s is not below /v1', (path) => {
  expect(pathStaysBelow(pathname(path), '/v1')).toBe(false);
});

it('refuses a path with too many layers of encoding, in bounded time', () => {
  expect(pathStaysBelow(`/v1/%${'25'.repeat(4000)}2e`, '/v1')).toBe(false);
});

describe('pathReadings', () => {
  const readings = (rest: string, base = `${ORIGIN}/v1`): string[] => pathReadings(new URL(base + rest), base).sort();

  it.each([
    ['', ['/']],
    ['/', ['/']],
    ['/users/1', ['/users/1']],
    ['?x=%2f', ['/']],
    ['/users//1', ['/users/1', '/users//1']],
    ['/users/', ['/users', '/users/']],
    ['/projects/group%2Fname', ['/projects/group%2Fname', '/projects/group/name']],
    ['/%61dmin', ['/%61dmin', '/admin']],
    ['/%2561dmin', ['/%2561dmin', '/%61dmin', '/admin']],
    ['/public/..%2fadmin', ['/admin', '/public/..%2fadmin']],
    ['/admin;x=1/keys', ['/admin/keys', '/admin;x=1/keys']],
    ['/a/../admin', ['/admin']],
  ])('returns all readings of "%s"', (rest, expected) => {
    expect(readings(rest)).toEqual([...expected].sort());
  });

  it('does not count a trailing slash of the base URL twice', () => {
    expect(readings('users', `${ORIGIN}/v1/`)).toEqual(['/users']);
    expect(readings('/users', ORIGIN)).toEqual(['/users']);
  });
});

it('reads paths of slashes in linear time', async () => {
  const read = (length: number) => () => {
    const path = `/v1/${'/'.repeat(length)}`;
    for (let round = 0; round < 100; round++) {
      pathStaysBelow(path, '/v1');
      pathReadings(new URL(ORIGIN + path), `${ORIGIN}/v1`);
    }
  };
  // The text is eight times as long: a quadratic pattern needs 64 times as long.
  expect(await timesAsLong(read(8000), read(1000))).toBeLessThan(24);
});
