import { CREDENTIAL_MASK } from '#contracts/headers';
import type { DocumentedOperationEntity } from '#database';
import type { TemplatePath } from './path-template.js';
import { isReadAlike, toPathSteps, type Step } from './path-steps.js';
import { plainSentence } from './plain-text.js';
import { singular } from './singular.js';
import { RPC_SEGMENT, type RpcFacts } from './rpc-calls.js';
import { rpcTitle } from './rpc-title.js';
import { countSecretSegments, isKey } from './secret-texts.js';
import type { StatedOperation } from './stated-operation.js';
import { shorten, spoken, visible } from './title-words.js';

const SUMMARY_MAX = 120;
/** How many characters the target may have in a title that also has the operation's summary. */
const TARGET_MAX = 60;
/** The length of each segment, and the number of outer things named. The first pair that makes the text fit is used. */
const SIZES = [
  [40, Infinity],
  [24, Infinity],
  [12, Infinity],
  [12, 3],
  [12, 2],
  [12, 1],
] as const;

/** The service, as a title needs it. */
interface NamedService {
  name: string;
  baseUrl: string;
}

type Described = TemplatePath &
  Pick<DocumentedOperationEntity, 'summary'> &
  Partial<Pick<DocumentedOperationEntity, 'facts'>>;

/** A name in the path and the identifiers that follow it. */
interface Thing {
  name: string;
  identifiers: string[];
}

/**
 * The title of a request. With a document: the operation's own summary and what it acts on, `Delete a customer ·
 * cus_42`, `Delete a pod · web-1 in prod`. Without one: method and path in words, `DELETE customer 42`, `DELETE pod
 * web-1 in prod`, `PUT merge of pull 7 of repo acme/api`. Segments are left out only when the title is too long, so
 * that requests which act on different things have different titles.
 * @param stated the operation that the request itself names: `POST graphql: mutation deleteRepository (CleanUp)`
 * @param rpc the calls of JSON-RPC in the body
 * @param max how many characters it may have; the calls of JSON-RPC and stated operations have lengths of their own
 */
export function describeRequest(
  method: string,
  url: URL,
  service: NamedService,
  operation: Described | null,
  stated: StatedOperation | null = null,
  rpc: RpcFacts | 'undecidable' | null = null,
  max = SUMMARY_MAX,
): string {
  const steps = meaningfulSteps(url, service.baseUrl, operation);
  // Elsewhere the API may not read the body as calls, and method and path would be missing from the title.
  const isEndpoint = method === 'POST' && (steps.length === 0 || RPC_SEGMENT.test(steps.at(-1)!.text));
  if (isEndpoint && stated?.by === 'rpc' && rpc !== null && rpc !== 'undecidable' && rpc.calls.length > 0) {
    if (isReadAlike(url, service.baseUrl)) {
      return rpcTitle(rpc.calls, service.name, operation?.path === '' ? (operation.facts?.fields ?? []) : []);
    }
  }
  const summary = plainSentence(operation?.summary ?? '').replace(/\.$/, '');
  // A document describes a method and a path. It could be misleading if the operation is stated elsewhere in the
  // request, or if servers read the path in several ways.
  const isDescribed = summary !== '' && stated === null && isReadAlike(url, service.baseUrl);
  if (isDescribed) return titled(summary, steps, max);
  const subject = describePath(method, service, steps, max);
  return stated?.words ? `${subject}: ${visible(stated.words)}` : subject;
}

/** The end of the summary is cut, because the target matters more. */
function titled(summary: string, steps: readonly Step[], max: number): string {
  const said = toWordSet(summary);
  const target = fitted(Math.min(TARGET_MAX, (max * 3) / 5), (partMax, outerMax) =>
    formatTarget(toThings(steps, partMax), said, outerMax),
  );
  const end = target === '' ? '' : ` · ${target}`;
  const room = max - Array.from(end).length;
  const characters = Array.from(summary);
  return (characters.length <= room ? summary : `${characters.slice(0, room - 1).join('')}…`) + end;
}

function describePath(
  method: string,
  service: Pick<NamedService, 'name'>,
  steps: readonly Step[],
  max: number,
): string {
  if (steps.length === 0) return shorten(`${method} ${visible(service.name)}`, max);
  return `${method} ${thingInPath(method, steps, max - method.length - 1)}`;
}

function fitted(max: number, write: (partMax: number, outerMax: number) => string): string {
  let text = '';
  for (const [partMax, outerMax] of SIZES) {
    text = write(partMax, outerMax);
    if (Array.from(text).length <= max) return text;
  }
  return shorten(text, max);
}

/** What the path names, in the words of a title: `refund of order 7731`. Empty if it names nothing. */
export function thingInPath(method: string, steps: readonly Step[], max: number): string {
  if (steps.length === 0) return '';
  return fitted(max, (partMax, outerMax) => sentence(method, toThings(steps, partMax), outerMax));
}

/**
 * The steps of the path without keys, without versions, and without `api` at the beginning, because these carry no
 * meaning.
 */
export function meaningfulSteps(url: URL, baseUrl: string, operation: TemplatePath | null): Step[] {
  const steps = withoutKeys(toPathSteps(url, baseUrl, operation), url);
  const isVersion = ({ text, isIdentifier }: Step): boolean => !isIdentifier && /^v\d+(\.\d+)*$/i.test(text);
  const kept = steps.filter((step) => visible(step.text) !== '' && !isVersion(step));
  const first = kept.findIndex(({ text }) => !/^(?:apis?|rest)$/i.test(text));
  return first === -1 ? kept : kept.slice(first);
}

const KEY: Step = { text: CREDENTIAL_MASK, isIdentifier: true };

function withoutKeys(steps: readonly Step[], url: URL): Step[] {
  const secrets = Math.min(countSecretSegments(url), steps.length);
  const shown = steps.slice(0, steps.length - secrets).map((step) => (isKey(step.text) ? KEY : step));
  return secrets === 0 ? shown : [...shown, KEY];
}

/** Whether a title shows the step as it is sent. */
export const isShownWhole = ({ text }: Step): boolean => visible(text) === text && text !== CREDENTIAL_MASK;

/** Returns the innermost thing first. */
function toThings(steps: readonly Step[], partMax: number): Thing[] {
  const things: Thing[] = [];
  for (const { text, isIdentifier } of steps) {
    const part = spoken(text, partMax);
    const thing = things.at(-1);
    if (!isIdentifier) things.push({ name: part, identifiers: [] });
    else if (thing) thing.identifiers.push(part);
    else things.push({ name: '', identifiers: [part] });
  }
  return things.reverse();
}

function sentence(method: string, [last, ...outer]: readonly Thing[], outerMax: number): string {
  const many = last.identifiers.length === 0 && method !== 'POST';
  return (many ? last.name : oneThing(last)) + outerWords(outer, outerMax);
}

/** Leaves out names that are already in the summary: `cus_42` after "Delete a customer". */
function formatTarget(things: readonly Thing[], said: ReadonlySet<string>, outerMax: number): string {
  const isSaid = ({ name }: Thing): boolean => [...toWordSet(name)].every((word) => said.has(word));
  const [last, ...outer] = things.filter((thing) => thing.identifiers.length > 0 || !isSaid(thing));
  if (last === undefined) return '';
  const isOne = last.identifiers.length > 0;
  const first = isOne ? oneThing(isSaid(last) ? { ...last, name: '' } : last) : last.name;
  return first + outerWords(outer, outerMax);
}

/** The outermost things say who owns it, the nearest one says where it is: the middle is left out first. */
function outerWords(outer: readonly Thing[], max: number): string {
  const words = outer.map(around);
  if (words.length > max) words.splice(1, words.length - max, ' …');
  return words.join('');
}

/** ` of customer 42`, ` in prod` for a namespace, ` in admin` for a name without identifiers. */
function around(thing: Thing): string {
  if (thing.identifiers.length === 0) return ` in ${thing.name}`;
  return /^namespaces?$/i.test(thing.name) ? ` in ${thing.identifiers.join('/')}` : ` of ${oneThing(thing)}`;
}

const oneThing = ({ name, identifiers }: Thing): string =>
  [singular(name), identifiers.join('/')].filter(Boolean).join(' ');

/** `pullRequests` and `pull_requests` are "pull" and "request". */
const toWordSet = (text: string): Set<string> =>
  new Set((text.match(/\p{Lu}?[\p{Ll}\p{Lo}\p{N}]+|\p{Lu}+/gu) ?? []).map((word) => singular(word.toLowerCase())));
