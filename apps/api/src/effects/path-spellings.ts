/** The paths as which some server may read a path. They may only add effects. */
import { foldCase, lenientReadings } from '#egress';
import { pathSegments } from '../request-reading/path-template.js';
import { actInName } from './act.js';
import { isAbout, wordsOf } from './names.js';
import { remembered } from './remembered.js';

const NO_BASE = 'http://localhost/';

/** A path, and how lenient servers read it: also without the extensions at its end. */
export const pathSpellings = remembered(findSpellings);

function findSpellings(path: string): readonly string[] {
  const all = new Set(lenientPaths(path));
  let longer = [...all];
  for (let count = 0; count < EXTENSIONS_MAX && longer.length > 0; count++) {
    longer = longer.flatMap((each) => withoutExtension(each) ?? []).flatMap((each) => [each, trimmed(each)]);
    for (const each of longer) all.add(each);
  }
  return [...all];
}

/** `deploy.tar.gz` has two. */
const EXTENSIONS_MAX = 2;

/**
 * The spellings that name another place than the path as it is written, apart from the case of letters.
 * @param paths the written path first, then how servers may read it
 */
export function otherPlaces(paths: readonly string[]): string[] {
  const placeOf = (path: string): string => foldCase(pathSegments(path).join('/'));
  const written = placeOf(paths[0]);
  return paths.flatMap(lenientPaths).filter((path) => placeOf(path) !== written);
}

/** Without path parameters, and without blanks and dots at the ends of segments, in the letters as they are sent and folded. */
const lenientPaths = remembered((path): readonly string[] => {
  const readings = lenientReadings({ pathname: path === '' ? '/' : path }, NO_BASE);
  if (readings === null) throw new Error('the path has too many readings');
  return [...new Set([path, trimmed(path), ...readings])];
});

/** Each segment up to the first character at which some server cuts it, in its own letters. */
const trimmed = (path: string): string => path.split('/').map(trimmedSegment).join('/');

function trimmedSegment(segment: string): string {
  const [decoded = ''] = pathSegments(segment);
  const [first] = decoded.split(/[;\0?#]/, 1);
  return encodeURIComponent(first.replace(ENDS, '').toWellFormed());
}
const ENDS = /^[\p{Cc}\s]+|(?<![\p{Cc}\s.])[\p{Cc}\s.]+$/gu;

/** `deploy.pdf` and `delete.html5` name an act. `orders.get` is a name of two words, and has no extension. */
function withoutExtension(path: string): string | null {
  const found = /^(.*[^/])\.([a-z\d]{1,8})\/?$/is.exec(path);
  if (found === null) return null;
  const [, rest, extension] = found;
  const words = wordsOf(extension);
  return isAbout(words[0]) || actInName([words], '') !== null ? null : rest;
}
