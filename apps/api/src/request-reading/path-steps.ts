import { pathReadings, strictReadings } from '#egress';
import { parseTemplate, pathSegments, type TemplatePath } from './path-template.js';
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
export function toPathSteps(url: URL, baseUrl: string, operation: TemplatePath | null): Step[] {
  const below = pathSegments(pathReadings(url, baseUrl)[0]);
  const documentedAt = alignment(operation, below);
  const steps: Step[] = [];
  for (const [index, text] of below.entries()) {
    const documented = documentedAt(index);
    const isIdentifier = documented === undefined ? isLikelyIdentifier(text, steps) : documented.includes('{');
    steps.push({ text, isIdentifier });
  }
  return steps;
}

/**
 * Returns the template's segment for each segment of a path. If one parameter of the template stands for several
 * segments of the path, the document says nothing about these segments.
 */
function alignment(operation: TemplatePath | null, path: readonly string[]): (index: number) => string | undefined {
  if (operation === null) return () => undefined;
  const { segments, spanAt } = parseTemplate(operation);
  // Templates are compared from the end: their beginning may be above the base URL.
  const fromEnd = segments.length - path.length;
  if (spanAt === -1) return (index) => segments[index + fromEnd];
  const before = segments.slice(0, spanAt);
  const above = [...before.keys(), spanAt].find((count) =>
    before.slice(count).every((segment, index) => segment.includes('{') || segment === path[index]),
  )!;
  return (index) => {
    if (index + above < spanAt) return segments[index + above];
    return index + fromEnd > spanAt ? segments[index + fromEnd] : undefined;
  };
}

/** Whether all servers see the same segments in the path. `%2F` within a segment, for example, ends it on some. */
export function isReadAlike(url: URL, baseUrl: string): boolean {
  // Hidden dots.
  if (strictReadings(url, baseUrl) === null) return false;
  const readings = pathReadings(url, baseUrl);
  return readings.length === 1 || new Set(readings.map((each) => JSON.stringify(pathSegments(each)))).size === 1;
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
