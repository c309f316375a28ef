import { globMatches } from '../risk-rules/path-glob.js';

/** The decoded segments of a path. */
export function pathSegments(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decode);
}

/** Whether a template segment consists of exactly one parameter. */
export const isParameter = (segment: string): boolean => /^\{[^{}]*\}$/.test(segment);

/** The score of a segment that is equal in template and path. */
export const LITERAL = 2;

/**
 * Scores how well a template with the same number of segments matches a path; null if it does not match. More literal
 * segments score higher. With the same number of literal segments, the template whose literals come earlier scores
 * higher.
 * @returns the sum, then the score of each segment
 */
export function fit(template: readonly string[], path: readonly string[]): number[] | null {
  const scores: number[] = [];
  for (const [index, segment] of template.entries()) {
    if (isParameter(segment)) scores.push(0);
    else if (segment === path[index]) scores.push(LITERAL);
    else if (segment.includes('{') && globMatches(segment.replace(/\{[^{}]*\}/g, '*'), path[index])) scores.push(1);
    else return null;
  }
  return [scores.reduce((sum, score) => sum + score, 0), ...scores];
}

/** Whether one match is better than another. */
export function isBetter(one: readonly number[], other: readonly number[]): boolean {
  const index = one.findIndex((score, at) => score !== other[at]);
  return index !== -1 && one[index] > (other[index] ?? -1);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
