import { parseUrl } from '#egress';
import { isParameter, pathSegments } from '../request-reading/path-template.js';

/** Documentation names no longer prefixes. A path can have thousands of segments, and each term is searched. */
const PREFIXES_MAX = 10;

/**
 * The terms by which a section can mention the request, the most specific one first: its path, the path template, the
 * prefixes of the path, its last word.
 */
export function pathTerms(targetUrl: string, template: string | null): string[] {
  const segments = pathSegments(parseUrl(targetUrl)?.pathname ?? '');
  const beginning = (length: number) => `/${segments.slice(0, length).join('/')}`;
  const prefixes = segments.slice(1, PREFIXES_MAX + 1).map((_, index) => beginning(index + 1));
  const names = (template ? template.split('/').filter((segment) => !isParameter(segment)) : segments).filter(
    (segment) => /^\p{L}[\p{L}_-]{2,}$/u.test(segment),
  );
  const path = segments.length === 0 ? '' : beginning(segments.length);
  return [path, template ?? '', ...prefixes.reverse(), names.at(-1) ?? ''];
}
