import type { JsonValue } from '../request-reading/request-content.js';
import { isParameter, pathSegments } from '../request-reading/path-template.js';
import type { Act } from './act.js';
import type { Entry } from './entry.js';
import { CONTENT, LABEL_FIELDS, SELECTORS } from './field-words.js';
import { wordsOf } from './names.js';
import type { EffectSubject } from './subject.js';

/** More things than that are many, whatever happens to them. */
const THINGS_MAX = 20;

/** Why a write concerns many things at once. Null: nothing says so. */
export function bulkOf(
  subject: EffectSubject,
  entries: readonly Entry[],
  deletes: boolean,
  acts: readonly Act[],
): string | null {
  const selectors = entries.filter(({ names, isContent }) => !isContent && names.some((name) => SELECTORS.has(name)));
  const empty = selectors.find(({ value }) => isEmpty(value));
  if (empty) return `no condition in "${empty.written}": everything that is there`;
  const wildcard = entries.find(({ value, isContent }) => (value === '.*' || value === '.+') && !isContent);
  if (wildcard) return `"${wildcard.written}" is a wildcard: everything that is there`;
  const most = countOf(subject, entries);
  if (most > THINGS_MAX) return `${most} things at once`;
  const deletions = acts.filter(({ verb, isRepeated }) => verb.kind === 'delete' && isRepeated).length;
  if (deletes && Math.max(most, deletions) > 1) return `takes away ${Math.max(most, deletions)} things`;
  if (subject.paths.some((path) => path.includes('*'))) return 'the path has a wildcard';
  const selector = selectors.find(({ value }) => typeof value !== 'string');
  if (deletes && selector) return `takes away what "${selector.written}" selects`;
  // Only what the operation documents tells that it concerns a few things.
  const named =
    subject.operation === null
      ? 0
      : countOf(
          subject,
          entries.filter((entry) => isDocumented(subject, entry)),
        );
  const many = acts.find(
    ({ isCollection, isMany, verb }) =>
      (isCollection && verb.kind === 'delete' && deletes) ||
      (isMany && verb.kind !== 'read' && verb.kind !== 'everyday'),
  );
  return many && named === 0 ? `${many.name} concerns many things at once` : null;
}

const isEmpty = (value: JsonValue): boolean =>
  value === '' ||
  value === '*' ||
  value === '.*' ||
  value === '.+' ||
  (typeof value === 'object' && (value === null || Object.keys(value).length === 0 || 'match_all' in value));

/** How many things a list names: in a parameter, in the body, or as the body. */
function countOf({ content }: EffectSubject, entries: readonly Entry[]): number {
  const counts = [0];
  if (content.kind === 'json' && Array.isArray(content.value)) counts.push(content.value.length);
  const repeated = new Map<string, number>();
  for (const { value, isContent, depth, name, written } of entries) {
    if (isContent || depth > 2) continue;
    if (Array.isArray(value)) counts.push(value.length);
    if (typeof value !== 'string') continue;
    // `ids=1,2,3`, `InstanceId.1=…&InstanceId.2=…`, `<Key>…</Key><Key>…</Key>`
    if (/(?:^|-)(?:id|key|record)s?$/.test(name) && /^[^.[]*(?:\.\d+|\[\d*\])?$/.test(written)) {
      repeated.set(name, (repeated.get(name) ?? 0) + value.split(',').length);
    }
  }
  return Math.max(...counts, ...repeated.values());
}

/** Whether the body changes only a name, a text or a label of the thing in the path. */
export function isLabelOnly(subject: EffectSubject, entries: readonly Entry[]): boolean {
  const { content, operation, paths, methods } = subject;
  if (content.kind !== 'json' && content.kind !== 'form') return false;
  const isUpdate =
    operation === null ? methods[0] === 'PATCH' : isParameter(lastOf(operation.path).replace(/\.\w+$/, ''));
  if (!isUpdate || methods.length > 1 || methods[0] === 'DELETE' || paths.length > 1) return false;
  // A server may take parameters for fields, and an empty object takes what it had away.
  if (entries.some(({ isQuery }) => isQuery) || (content.kind === 'json' && Array.isArray(content.value))) return false;
  const leaves = entries.filter(({ value }) => !isFilled(value));
  return (
    leaves.length > 0 &&
    leaves.every((entry) => LABEL_FIELDS.has(entry.name) && !isInContent(entry) && isDocumented(subject, entry))
  );
}

/** A name below `fields` may be that of anything. */
const isInContent = ({ isContent, depth, top }: Entry): boolean =>
  isContent || (depth > 0 && CONTENT.has(wordsOf(top).join('-')));

/** Whether a value has fields of its own, which are entries too. */
const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/** Whether the operation documents a parameter or a field, or the one at the top that it is in. */
export function isDocumented(
  { operation, rpc, tools }: EffectSubject,
  { top, written, isQuery, depth, value }: Entry,
): boolean {
  if (rpc !== null && rpc !== 'undecidable' && tools !== null) {
    // Only what stands directly in the arguments of the call is an argument: `_meta.query` is none.
    return (
      !isQuery &&
      depth === ARGUMENTS_DEPTH &&
      rpc.calls.length > 0 &&
      rpc.calls.every((call) => call.tool !== null && tools.get(call.tool)?.fields.includes(written) === true) &&
      rpc.calls.some(({ arguments: given }) => isArgument(given, written, value))
    );
  }
  if (operation === null) return true;
  return (isQuery ? operation.queryParameters : operation.fields).some(
    (name) => name === top || name.split(/[[.]/, 1)[0] === top,
  );
}

/** Below `params` and `arguments`. */
const ARGUMENTS_DEPTH = 2;
const isArgument = (given: JsonValue, name: string, value: JsonValue): boolean =>
  typeof given === 'object' && given !== null && !Array.isArray(given) && name in given && given[name] === value;

const lastOf = (path: string): string => pathSegments(path).at(-1) ?? '';
