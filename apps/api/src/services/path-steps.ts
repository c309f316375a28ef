import type { DocumentedOperationEntity } from '#database';
import { pathReadings } from '#egress';
import { pathSegments } from './documentation/path-template.js';
import { singular } from './singular.js';

/** A segment of the path, decoded. */
export interface Step {
  text: string;
  /** Whether it is an identifier, and not a kind of thing. */
  isIdentifier: boolean;
}

/** Verbs and views of a collection: these segments never identify a thing. */
const ACTIONS = new Set(
  (
    'search query find list count export import download upload send bulk batch new create add update delete remove clear ' +
    'archive restore merge close cancel refund capture confirm approve reject publish validate verify preview latest ' +
    'stream events recent all self login logout token status stats summary health'
  ).split(' '),
);

/**
 * The segments below the base URL. The operation says which are identifiers; without one, their form and neighbours do.
 */
export function stepsOf(url: URL, baseUrl: string, operation: Pick<DocumentedOperationEntity, 'path'> | null): Step[] {
  const below = pathSegments(pathReadings(url, baseUrl)[0]);
  const template = operation?.path.split('/').filter((segment) => segment !== '') ?? [];
  // Templates are compared from the end: their beginning may be above the base URL.
  const offset = below.length - template.length;
  const steps: Step[] = [];
  for (const [index, text] of below.entries()) {
    const documented: string | undefined = template[index - offset];
    const isIdentifier = documented === undefined ? isLikelyIdentifier(text, steps) : documented.includes('{');
    steps.push({ text, isIdentifier });
  }
  return steps;
}

/** Whether all servers see the same segments in the path. `%2F` within a segment, for example, ends it on some. */
export function isReadAlike(url: URL, baseUrl: string): boolean {
  return new Set(pathReadings(url, baseUrl).map((reading) => JSON.stringify(pathSegments(reading)))).size === 1;
}

function isLikelyIdentifier(text: string, before: readonly Step[]): boolean {
  if (looksLikeIdentifier(text)) return true;
  const previous = before.at(-1);
  if (previous === undefined || ACTIONS.has(text.toLowerCase()) || singular(text) !== text) return false;
  if (!previous.isIdentifier) return singular(previous.text) !== previous.text;
  // `/repos/acme/api`: the name of a repository has two segments.
  return before.length > 1 && isNamedByTwo(before[before.length - 2]);
}

const isNamedByTwo = ({ text, isIdentifier }: Step): boolean => !isIdentifier && /^(?:repos|repositories)$/i.test(text);

/** Numbers, UUIDs, e-mail addresses, `sku-500`, and words with digits that are too long for a name. */
function looksLikeIdentifier(segment: string): boolean {
  return (
    /^\d+$/.test(segment) ||
    segment.includes('@') ||
    (/\d/.test(segment) && /^(?:[0-9a-f-]{8,}|[\w-]{12,}|[a-z]+[_-][\w-]+)$/i.test(segment))
  );
}
