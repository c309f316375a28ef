import { foldedName } from '../request-reading/folded-name.js';
import type { DescribedOperation } from './described-operation.js';
import type { Entry } from './entry.js';
import { DRY_RUNS } from './field-words.js';
import { wordsOf } from './names.js';
import type { EffectSubject } from './subject.js';

/** The documented names that make an operation a dry run, each with its place. */
export interface DryRuns {
  query: readonly string[];
  fields: readonly string[];
}

const plain = (name: string): string => wordsOf(name).join('-');

/** `dry` and `test` may be fields of a thing, or ask for a real test: they count in fewer places. */
export function dryRunsOf({ method, queryParameters, fields }: DescribedOperation): DryRuns {
  const isParameter = (name: string): boolean =>
    DRY_RUNS.has(plain(name)) || name === 'dry' || (name === 'test' && method === 'GET');
  return { query: queryParameters.filter(isParameter), fields: fields.filter((name) => DRY_RUNS.has(plain(name))) };
}

/**
 * Whether a documented parameter makes a request a dry run: it is on at its documented place, and every server reads
 * it so. A dry run has no effect, so whatever is in doubt is none.
 */
export function isDryRun({ query: parameters, fields }: DryRuns, subject: EffectSubject, entries: readonly Entry[]) {
  const { methods, paths, query, content } = subject;
  if (methods.length > 1 || paths.length > 1) return false;
  const isPlain = content.kind === 'none' || content.kind === 'form' || isObject(content);
  if (!isPlain) return false;
  const isAlone = (name: string): boolean => entries.filter((entry) => mayMean(entry, loose(name))).length === 1;
  return (
    parameters.some((name) => isOnce(query.getAll(name), name) && isAlone(name)) ||
    fields.some((name) => isOnInBody(content, name) && isAlone(name))
  );
}

const isObject = (content: EffectSubject['content']): boolean =>
  content.kind === 'json' &&
  typeof content.value === 'object' &&
  content.value !== null &&
  !Array.isArray(content.value);

function isOnInBody(content: EffectSubject['content'], name: string): boolean {
  if (content.kind === 'form') return isOnce(content.fields.get(name) ?? [], name);
  return (
    content.kind === 'json' && Object.entries(content.value ?? {}).some(([key, on]) => key === name && on === true)
  );
}

/** Servers differ in other texts, such as `yes`. Kubernetes takes only `dryRun=All`. */
const isOnce = (values: readonly string[], name: string): boolean =>
  values.length === 1 && (/^(?:true|1)$/.test(values[0]) || (name === 'dryRun' && values[0] === 'All'));

/** Letters and digits only: servers differ in how they read case, separators and what follows a bracket or a NUL. */
const loose = (text: string): string => foldedName(text).replace(/[^a-z\d]/g, '');

/** Whether some server may take an entry for the one with this name. Some read `;` in a value as `&`. */
const mayMean = ({ written, name, value }: Entry, wanted: string): boolean =>
  loose(written).includes(wanted) ||
  loose(name).includes(wanted) ||
  (typeof value === 'string' && value.includes(';') && loose(value).includes(wanted));
