import { EFFECTS } from '#contracts/effects';
import { HTTP_METHODS } from '#contracts/states';
import type { DescribedNames } from './described-fields.js';

/** What can be written at a place of a condition in CEL (docs/reference/conditions.md). Pure functions. */

/** The names of the service, beside those of the language. */
export interface KnownNames extends DescribedNames {
  agents: readonly string[];
}

export interface Completions {
  /** Where the word begins that an option replaces. */
  from: number;
  options: string[];
}

const OPTIONS_MAX = 50;

const TEXT = [
  'contains("")',
  'startsWith("")',
  'endsWith("")',
  'matches("")',
  'lowerAscii()',
  'upperAscii()',
  'trim()',
  'split("")',
  'size()',
];
const LIST = ['exists(x, )', 'all(x, )', 'exists_one(x, )', 'filter(x, )', 'map(x, )', 'join()', 'size()'];
const TIME = [
  'getHours("UTC")',
  'getDayOfWeek("UTC")',
  'getMinutes("UTC")',
  'getDate("UTC")',
  'getMonth("UTC")',
  'getFullYear("UTC")',
];
const VARIABLES = ['request', 'agent', 'operation', 'graphql', 'rpc', 'effects', 'firstTime', 'now'];
const FUNCTIONS = [
  'has()',
  'size()',
  'int()',
  'double()',
  'string()',
  'bool()',
  'timestamp("")',
  'duration("")',
  'true',
  'false',
  'null',
];
const MEMBERS: Record<string, readonly string[]> = {
  '': [...VARIABLES, ...FUNCTIONS],
  request: ['method', 'path', 'pathParams', 'query', 'headers', 'contentType', 'size', 'body', 'text'],
  agent: ['id', 'name'],
  operation: ['id', 'tags', 'summary', 'deprecated', 'isWrite'],
  graphql: ['type', 'names', 'fields'],
  rpc: ['methods', 'tools', 'calls'],
  effects: LIST,
  now: TIME,
  ...Object.fromEntries(
    ['operation.tags', 'graphql.names', 'graphql.fields', 'rpc.methods', 'rpc.tools', 'rpc.calls'].map((name) => [
      name,
      LIST,
    ]),
  ),
  ...Object.fromEntries(
    [
      'request.method',
      'request.path',
      'request.contentType',
      'request.text',
      'agent.name',
      'operation.id',
      'operation.summary',
      'graphql.type',
    ].map((name) => [name, TEXT]),
  ),
};

/**
 * What can stand at a place. Null: nothing, or nothing more than what stands there.
 * @param isAsked the person asks for it. Else nothing is offered before the first letter of a word
 */
export function completionsAt(text: string, at: number, known: KnownNames, isAsked = false): Completions | null {
  const before = text.slice(0, at);
  const quote = openQuote(before);
  if (quote !== null) {
    const from = quote + 1;
    return offer(from, before.slice(from), valuesAfter(before.slice(0, quote), known), true);
  }
  // A name that goes on behind the place is not replaced in half.
  if (/^\w/.test(text.slice(at))) return null;
  const [path] = /(?:[A-Za-z_]\w*\.)*(?:[A-Za-z_]\w*)?$/.exec(before)!;
  const dot = path.lastIndexOf('.') + 1;
  const [base, word] = [path.slice(0, Math.max(0, dot - 1)), path.slice(dot)];
  const previous = before[before.length - path.length - 1] ?? '';
  // Behind a number, or a call whose type is not known.
  if (/[\w.]/.test(previous)) return null;
  return offer(at - word.length, word, membersOf(base, known), isAsked || base !== '');
}

function offer(from: number, word: string, names: readonly string[], isAsked: boolean): Completions | null {
  if (word === '' && !isAsked) return null;
  const start = word.toLowerCase();
  const options = names.filter((name) => name.toLowerCase().startsWith(start) && name !== word);
  return options.length === 0 || names.includes(word) ? null : { from, options: options.slice(0, OPTIONS_MAX) };
}

const isName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

function membersOf(base: string, known: KnownNames): readonly string[] {
  if (base === 'request.query') return known.queryParameters.filter(isName);
  if (base === 'request.body' || base.startsWith('request.body.')) {
    const start = base === 'request.body' ? '' : `${base.slice('request.body.'.length)}.`;
    const inside = known.fields
      .filter((name) => name.startsWith(start))
      .map((name) => name.slice(start.length).split('.', 1)[0]!);
    return [...new Set(inside)].filter(isName);
  }
  return MEMBERS[base] ?? [];
}

/** The values that fit to what stands before a text. */
function valuesAfter(before: string, known: KnownNames): readonly string[] {
  const compared = /([\w.]+)(?:\[|\s*(?:==|!=|in\s*\[[^\]]*)\s*)$/.exec(before)?.[1] ?? '';
  if (compared === 'request.method') return HTTP_METHODS;
  if (compared === 'graphql.type') return ['mutation', 'query', 'subscription'];
  if (compared === 'agent.name') return known.agents;
  if (compared === 'operation.id') return known.operations;
  if (/(?:^|\.)tool$/.test(compared)) return known.tools;
  if (compared === 'request.query') return known.queryParameters;
  if (compared === 'request.body') return known.fields.filter((name) => !name.includes('.'));
  // Before `in effects`, in the list of `effects.exists(…)`, or before `in operation.tags`.
  return compared.includes('.') ? [] : [...EFFECTS, ...known.tags];
}

/** Where the text begins that is not closed yet. Null: the end is in no text. */
function openQuote(before: string): number | null {
  let open: number | null = null;
  for (let at = 0; at < before.length; at++) {
    const letter = before[at]!;
    if (open === null ? letter === '"' || letter === "'" : letter === before[open]) open = open === null ? at : null;
    else if (open !== null && letter === '\\') at++;
  }
  return open;
}

/** The text with an option in place of the word, and where to go on: inside the brackets or quotes of a function. */
export function completed(text: string, at: number, from: number, option: string): { text: string; at: number } {
  const inside = /(?<=\((?:x, |"|)?)"?\)$/.exec(option);
  const caret = inside === null || option.endsWith('("UTC")') ? option.length : inside.index;
  return { text: text.slice(0, from) + option + text.slice(at), at: from + caret };
}
