import { globMatches } from '../risk-rules/path-glob.js';

/** The segments of a path, decoded. */
export function pathSegments(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decode);
}

/** Whether a template's segment is one parameter and nothing else. */
export const isParameter = (segment: string): boolean => /^\{[^{}]*\}$/.test(segment);

/** The score of a segment that is the same in template and path. */
export const LITERAL = 2;

/**
 * How literally a template of as many segments fits a path: the higher the better, null if it does not fit.
 * Of two with as many literal segments, the one whose literals come earlier fits better.
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

/** Whether one fit is better than another. */
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
