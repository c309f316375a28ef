import type { DocumentedOperationEntity } from '#database';
import { pathReadings } from '#egress';
import { pathSegments } from './documentation/path-template.js';
import type { ServiceView } from './service-view.js';

const SUMMARY_MAX = 80;
const PART_MAX = 40;
/** Invisible characters, and those that turn the direction of what follows: a path must not be able to rewrite the sentence. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

interface Step {
  text: string;
  /** Whether it says which one, not what. */
  isIdentifier: boolean;
}

/**
 * What a request would do, in our words: `DELETE customer 42`, `GET invoices of customer 42`, `POST issue`. Made of the
 * method and the path alone; the operation tells which segments are names.
 */
export function describeRequest(
  method: string,
  url: URL,
  service: ServiceView,
  operation: DocumentedOperationEntity | null,
): string {
  const steps = stepsOf(url, service, operation);
  const last = steps.findLastIndex(({ isIdentifier }) => !isIdentifier);
  const identifiers = steps.slice(last + 1);
  if (steps.length === 0) return shorten(`${method} ${visible(service.name)}`, SUMMARY_MAX);
  if (last === -1) return shorten(`${method} ${join(identifiers)}`, SUMMARY_MAX);
  const name = steps[last].text;
  if (identifiers.length > 0) return shorten(`${method} ${singular(name)} ${join(identifiers)}`, SUMMARY_MAX);
  return shorten(`${method} ${method === 'POST' ? singular(name) : name}${owner(steps.slice(0, last))}`, SUMMARY_MAX);
}

/** ` of customer 42`, when the path goes on from one. */
function owner(steps: Step[]): string {
  const name = steps.findLastIndex(({ isIdentifier }) => !isIdentifier);
  const identifiers = steps.slice(name + 1);
  return name === -1 || identifiers.length === 0 ? '' : ` of ${singular(steps[name].text)} ${join(identifiers)}`;
}

function stepsOf(url: URL, service: ServiceView, operation: DocumentedOperationEntity | null): Step[] {
  const below = pathSegments(pathReadings(url, service.baseUrl)[0]);
  const template = operation?.path.split('/').filter((segment) => segment !== '') ?? [];
  // Templates are compared from the end: their beginning may be above the base URL.
  const offset = below.length - template.length;
  return below
    .map((segment, index) => {
      const documented: string | undefined = template[index - offset];
      const isIdentifier = documented === undefined ? looksLikeIdentifier(segment) : documented.includes('{');
      return { text: shorten(visible(segment), PART_MAX), isIdentifier };
    })
    .filter(({ text, isIdentifier }) => text !== '' && (isIdentifier || !/^v\d+(\.\d+)*$/i.test(text)));
}

/** Numbers, UUIDs, e-mail addresses, and words with digits that are too long for a name. */
export function looksLikeIdentifier(segment: string): boolean {
  return (
    /^\d+$/.test(segment) ||
    segment.includes('@') ||
    (/\d/.test(segment) && /^([0-9a-f-]{8,}|[\w-]{12,}|[a-z]{1,8}[_-][\w-]{4,})$/i.test(segment))
  );
}

const INVARIABLE = new Set(['series', 'species', 'news', 'dns', 'sms', 'aws', 'os']);
const IE = new Set(['movies', 'cookies']);

/** One of several, plainly: wrong for few words, and then still readable. */
export function singular(name: string): string {
  const lower = name.toLowerCase();
  if (!/^[a-z][a-z_-]+s$/.test(lower) || /(ss|us|is)$/.test(lower) || INVARIABLE.has(lower)) return name;
  if (lower.endsWith('ies') && !IE.has(lower)) return `${name.slice(0, -3)}y`;
  return /(ss|[tr]us|x|[nrt]ch|sh)es$/.test(lower) ? name.slice(0, -2) : name.slice(0, -1);
}

const visible = (text: string): string => text.replace(UNSAFE, '').replace(/\s+/g, ' ').trim();

const join = (steps: Step[]): string => steps.map(({ text }) => text).join('/');

function shorten(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}
