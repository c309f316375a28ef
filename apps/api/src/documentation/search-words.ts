import { singular } from '../request-reading/singular.js';

const NOTE_TERMS_MAX = 8;
/** Words that say nothing about what a query is looking for. */
const STOP_WORDS = new Set(
  (
    'a an the this that these those your our its you we it of for from to in into on onto at by with without and or ' +
    'is am are was be been being do does did have has had can could should would will may how what which who whether where ' +
    'when all any some someone something as if not so via per please'
  ).split(' '),
);

/** The form in which `searchWords` returns words for the caller, like "my". */
export const ME = 'me';

/** Each key replaces the words in its value. A description may say "remove" where an agent says "delete". */
const SYNONYMS: Record<string, string> = {
  delete: 'remove erase destroy',
  create: 'add make new open register post insert start',
  get: 'list show read fetch find view see retrieve return display look',
  update: 'change edit modify set patch put replace',
  repository: 'repo',
  organization: 'org organisation',
  environment: 'env',
  authentication: 'auth',
  configuration: 'config',
  application: 'app',
  document: 'doc',
  variable: 'var',
  [ME]: 'i my mine myself authenticated current',
};
const STANDS_FOR = new Map(
  Object.entries(SYNONYMS).flatMap(([word, others]) =>
    [word, ...others.split(' ')].map((other) => [stem(other), stem(word)] as const),
  ),
);

/** The verb of each method, in the form in which `searchWords` returns it. */
export const METHOD_VERBS: Record<string, string | undefined> = {
  GET: stem('get'),
  POST: stem('create'),
  PUT: stem('update'),
  PATCH: stem('update'),
  DELETE: stem('delete'),
};

/** Splits a text into words in lower case. `deleteRepo` has two words. */
export function splitWords(text: string): string[] {
  const parted = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  return parted.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * A note is found if it mentions one of these terms. The most specific terms come first: the complete query, then its
 * longest word.
 */
export function noteTerms(query: string): string[] {
  const words = tellingWords(splitWords(query)).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
  return [query.trim(), ...words.slice(0, NOTE_TERMS_MAX).sort((one, other) => other.length - one.length)];
}

/** Normalises words for comparison: `deletes a repository` and `removing repos` give the same words. */
export function searchWords(words: readonly string[]): string[] {
  return tellingWords(words)
    .map((word) => stem(word))
    .map((word) => STANDS_FOR.get(word) ?? word);
}

function tellingWords(words: readonly string[]): string[] {
  return words.filter((word) => !STOP_WORDS.has(word));
}

/**
 * Removes the endings of plurals and participles, and a silent e. It is wrong for some words, but equally on both
 * sides.
 */
function stem(word: string): string {
  const one = singular(word);
  // "settings" is not a participle.
  const base = one === word ? one.replace(/(?<=.{3})(?:ing|ed)$/, '') : one;
  // "stop" and "stopped" both become "stop"; "merge" and "merging" both become "merg".
  return base.replace(/([^aeiou])\1$/, '$1').replace(/(?<=.{3})e$/, '');
}
