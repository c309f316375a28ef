import type { DocumentedOperationEntity } from '#database';
import { pathReadings } from '#egress';
import { pathSegments } from '../services/documentation/path-template.js';
import { looksLikeIdentifier } from '../services/request-summary.js';

/**
 * The path pattern of requests that differ only in which thing they speak of: `/customers/*` for `/customers/42`.
 * null where no safe one can be made: a path that is ambiguous, or has the pattern's own characters in it, would make a
 * rule that lets more through than its reader thinks.
 */
export function patternOfSimilarPaths(
  target: URL,
  baseUrl: string,
  operation: Pick<DocumentedOperationEntity, 'path'> | null,
): string | null {
  const readings = pathReadings(target, baseUrl);
  if (readings.length !== 1 || readings[0].includes('*')) return null;
  const segments = pathSegments(readings[0]);
  if (segments.some((segment) => segment.includes('*') || segment.includes('/'))) return null;
  const template = operation?.path.split('/').filter((segment) => segment !== '') ?? [];
  // Templates are compared from the end: their beginning may be above the base URL.
  const offset = segments.length - template.length;
  const pattern = segments.map((segment, index) => {
    const documented: string | undefined = template[index - offset];
    const varies = documented === undefined ? looksLikeIdentifier(segment) : documented.includes('{');
    return varies ? '*' : segment;
  });
  return `/${pattern.join('/')}`;
}
