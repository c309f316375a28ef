import type { DocumentedOperationEntity } from '#database';
import { foldCase } from '#egress';
import { percentDecoded } from '../platform/percent-decoding.mjs';
import { globMatches } from './path-glob.js';

/** The path of an operation, as it is compared with those of requests. */
export type TemplatePath = Pick<DocumentedOperationEntity, 'path'> &
  Partial<Pick<DocumentedOperationEntity, 'comparedPath'>>;

/** A path with parameters. */
export interface PathTemplate {
  /** Decoded. */
  segments: string[];
  /** The position of the segment that stands for several, or -1. */
  spanAt: number;
  /** What stands behind `?` or `#`: names with their values, `''` for any value. */
  query: { name: string; value: string; isParameter: boolean }[];
}

/** The decoded segments of a path. */
export function pathSegments(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => percentDecoded(segment) ?? segment);
}

export function parseTemplate({ path, comparedPath }: TemplatePath): PathTemplate {
  const [, way, query] = /^([^?#]*)(.*)$/s.exec(comparedPath ?? path)!;
  const segments = pathSegments(way);
  return {
    segments,
    spanAt: segments.findIndex(isSpan),
    query: [...new URLSearchParams(query.replace(/[?#]/g, '&'))].map(([name, value]) => ({
      name,
      value,
      isParameter: name.includes('{') || value.includes('{'),
    })),
  };
}

/** Whether a template segment consists of exactly one parameter. */
export const isParameter = (segment: string): boolean => /^\{[^{}]*\}$/.test(segment);

const isSpan = (segment: string): boolean => /^\{[^{}]*\+\}$/.test(segment);

/** The path of a template whose last segment is a parameter, if this parameter spans segments. */
export function spannedPath({ path, comparedPath }: TemplatePath): string {
  const [, way, query] = /^([^?#]*)(.*)$/s.exec(comparedPath ?? path)!;
  const end = way.lastIndexOf('}');
  return `${way.slice(0, end)}+${way.slice(end)}${query}`;
}

/** The score of a segment that is equal in template and path. */
export const LITERAL = 2;

/** How well a template matches. */
export interface Fit {
  /** To be compared from the first number on. */
  score: number[];
  /** The score of each segment of the path. */
  segments: number[];
}

/**
 * Scores how well a template matches a path and its query; null if it does not match. More literal segments score
 * higher, then a parameter for one segment than for several, then more of the query, then literals that come earlier.
 * What the template's query states literally must be in the query; its parameters need not be.
 * @param isFolded whether the path is in folded case
 */
export function fit(
  template: PathTemplate,
  path: readonly string[],
  query: URLSearchParams,
  isFolded = false,
): Fit | null {
  const { spanAt } = template;
  const more = path.length - template.segments.length;
  if (spanAt === -1 ? more !== 0 : more < 0) return null;
  const segments: number[] = [];
  for (const [index, text] of path.entries()) {
    const isSpanned = spanAt !== -1 && index >= spanAt && index <= spanAt + more;
    const stated = template.segments[index > spanAt + more && spanAt !== -1 ? index - more : index];
    const score = isSpanned ? 0 : likeness(isFolded ? foldCase(stated) : stated, text);
    if (score === null) return null;
    segments.push(score);
  }
  const asked = queryScore(template.query, query);
  if (asked === null) return null;
  return { score: [segments.reduce((sum, score) => sum + score, 0), -more, asked, ...segments], segments };
}

/** Whether one score is better than another. */
export function isBetter(one: readonly number[], other: readonly number[]): boolean {
  const index = one.findIndex((score, at) => score !== other[at]);
  return index !== -1 && one[index] > (other[index] ?? -Infinity);
}

function likeness(template: string, segment: string): number | null {
  if (isParameter(template)) return 0;
  if (template === segment) return LITERAL;
  return template.includes('{') && globMatches(template.replace(/\{[^{}]*\}/g, '*'), segment) ? 1 : null;
}

function queryScore(stated: PathTemplate['query'], query: URLSearchParams): number | null {
  let score = 0;
  for (const { name, value, isParameter } of stated) {
    const isThere = value === '' || isParameter ? query.has(name) : query.getAll(name).includes(value);
    if (isThere) score += isParameter ? 1 : LITERAL;
    else if (!isParameter) return null;
  }
  return score;
}
