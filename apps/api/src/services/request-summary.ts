import type { DocumentedOperationEntity } from '#database';
import { pathReadings } from '#egress';
import { pathSegments } from './documentation/path-template.js';
import { singular } from './singular.js';
import type { ServiceView } from './service-view.js';
import type { StatedOperation } from './stated-operation.js';

const SUMMARY_MAX = 120;
/** How long each part of a path may be, and how many things around the last one are named: the first that makes it fit. */
const SIZES = [
  [40, Infinity],
  [24, Infinity],
  [12, Infinity],
  [12, 3],
] as const;
/** Invisible characters, and those that turn the direction of what follows: a path must not be able to rewrite the sentence. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A segment of the path, decoded. */
export interface Step {
  text: string;
  /** Whether it says which one, not what. */
  isIdentifier: boolean;
}

/** A name of the path and the identifiers that follow it. */
interface Thing {
  name: string;
  identifiers: string[];
}

/**
 * What a request would do, in our words: `DELETE customer 42`, `DELETE pod web-1 in prod`, `PUT merge of pull 7 of repo
 * acme/api`. Made of the method and the path alone; the operation tells which segments are names. No segment is left out
 * while there is room, so that two requests which differ in what they act on have two headlines.
 * @param stated what the request itself says it does: `POST graphql: mutation deleteRepository (CleanUp)`
 */
export function describeRequest(
  method: string,
  url: URL,
  service: Pick<ServiceView, 'name' | 'baseUrl'>,
  operation: Pick<DocumentedOperationEntity, 'path'> | null,
  stated: StatedOperation | null = null,
): string {
  const subject = describePath(method, url, service, operation);
  return stated?.words ? `${subject}: ${visible(stated.words)}` : subject;
}

function describePath(
  method: string,
  url: URL,
  service: Pick<ServiceView, 'name' | 'baseUrl'>,
  operation: Pick<DocumentedOperationEntity, 'path'> | null,
): string {
  const steps = meaningful(stepsOf(url, service.baseUrl, operation));
  if (steps.length === 0) return shorten(`${method} ${visible(service.name)}`, SUMMARY_MAX);
  let summary = '';
  for (const [partMax, outerMax] of SIZES) {
    summary = `${method} ${sentence(method, steps, partMax, outerMax)}`;
    if (Array.from(summary).length <= SUMMARY_MAX) return summary;
  }
  return shorten(summary, SUMMARY_MAX);
}

/** The segments below the base URL, and which of them are identifiers: as documented, else by their looks and neighbours. */
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

function isLikelyIdentifier(text: string, before: readonly Step[]): boolean {
  if (looksLikeIdentifier(text)) return true;
  const previous = before.at(-1);
  if (previous === undefined || ACTIONS.has(text.toLowerCase()) || singular(text) !== text) return false;
  if (!previous.isIdentifier) return singular(previous.text) !== previous.text;
  // `/repos/acme/api`: the second half of a name of two.
  return before.length > 1 && isNamedByTwo(before[before.length - 2]);
}

const isNamedByTwo = ({ text, isIdentifier }: Step): boolean => !isIdentifier && /^(?:repos|repositories)$/i.test(text);

/** What is done to things, or which view of them: no names of one. */
const ACTIONS = new Set(
  (
    'search query find list count export import download upload send bulk batch new create add update delete remove clear ' +
    'archive restore merge close cancel refund capture confirm approve reject publish validate verify preview latest ' +
    'stream events recent all self login logout token status stats summary health'
  ).split(' '),
);

/** Numbers, UUIDs, e-mail addresses, `sku-500`, and words with digits that are too long for a name. */
export function looksLikeIdentifier(segment: string): boolean {
  return (
    /^\d+$/.test(segment) ||
    segment.includes('@') ||
    (/\d/.test(segment) && /^(?:[0-9a-f-]{8,}|[\w-]{12,}|[a-z]+[_-][\w-]+)$/i.test(segment))
  );
}

/** Without what says nothing: versions, and `api` in front. */
function meaningful(steps: readonly Step[]): Step[] {
  const isVersion = ({ text, isIdentifier }: Step): boolean => !isIdentifier && /^v\d+(\.\d+)*$/i.test(text);
  const kept = steps.filter((step) => visible(step.text) !== '' && !isVersion(step));
  const first = kept.findIndex(({ text }) => !/^(?:apis?|rest)$/i.test(text));
  return first === -1 ? kept : kept.slice(first);
}

function sentence(method: string, steps: readonly Step[], partMax: number, outerMax: number): string {
  const things: Thing[] = [];
  for (const { text, isIdentifier } of steps) {
    const part = spoken(text, partMax);
    const thing = things.at(-1);
    if (!isIdentifier) things.push({ name: part, identifiers: [] });
    else if (thing) thing.identifiers.push(part);
    else things.push({ name: '', identifiers: [part] });
  }
  const [last, ...outer] = things.reverse();
  const words = outer.map(around);
  // The outermost ones say whose it is, the nearest one where it is.
  if (words.length > outerMax) words.splice(1, words.length - outerMax, ' …');
  const many = last.identifiers.length === 0 && method !== 'POST';
  return [many ? last.name : oneOf(last), ...words].join('');
}

/** ` of customer 42`, ` in prod` for a namespace, ` in admin` for a mere name. */
function around(thing: Thing): string {
  if (thing.identifiers.length === 0) return ` in ${thing.name}`;
  return /^namespaces?$/i.test(thing.name) ? ` in ${thing.identifiers.join('/')}` : ` of ${oneOf(thing)}`;
}

const oneOf = ({ name, identifiers }: Thing): string =>
  [singular(name), identifiers.join('/')].filter(Boolean).join(' ');

const visible = (text: string): string => text.replace(UNSAFE, '').replace(/\s+/g, ' ').trim();

/** In quotes where it has blanks or quotes: no segment may read like words of ours. */
function spoken(text: string, max: number): string {
  const shown = shorten(visible(text), max);
  return /[\s"“”]/.test(shown) ? `“${shown.replace(/[“”"]/g, "'")}”` : shown;
}

/** Its start and its end. */
function shorten(text: string, max: number): string {
  const characters = Array.from(text);
  if (characters.length <= max) return text;
  const head = Math.ceil((max - 1) / 2);
  return `${characters.slice(0, head).join('')}…${characters.slice(head + 1 - max).join('')}`;
}
