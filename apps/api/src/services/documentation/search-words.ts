import { singular } from '../singular.js';

const NOTE_TERMS_MAX = 8;
/** Words that do not say what is looked for. */
const STOP_WORDS = new Set(
  (
    'a an the this that these those your our its you we it of for from to in into on onto at by with without and or ' +
    'is am are was be been being do does did have has had can could should would will may how what which who whether where ' +
    'when all any some someone something as if not so via per please'
  ).split(' '),
);

/** The one who asks, as `searchWords` has it. */
export const ME = 'me';

/** Each word stands for the words after it. A description may say "remove" where an agent says "delete". */
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

/** What a request of the method does, as `searchWords` has it. */
export const METHOD_VERBS: Record<string, string | undefined> = {
  GET: stem('get'),
  POST: stem('create'),
  PUT: stem('update'),
  PATCH: stem('update'),
  DELETE: stem('delete'),
};

/** The words of a text, in lower case. `deleteRepo` has two. */
export function splitWords(text: string): string[] {
  const parted = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  return parted.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** What a note must mention one of to be found, the most telling first: the query as it is, then its longest word. */
export function noteTerms(query: string): string[] {
  const words = tellingWords(splitWords(query)).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
  return [query.trim(), ...words.slice(0, NOTE_TERMS_MAX).sort((one, other) => other.length - one.length)];
}

/** The words as they are compared: `deletes a repository` and `removing repos` have the same. */
export function searchWords(words: readonly string[]): string[] {
  return tellingWords(words)
    .map((word) => stem(word))
    .map((word) => STANDS_FOR.get(word) ?? word);
}

function tellingWords(words: readonly string[]): string[] {
  return words.filter((word) => !STOP_WORDS.has(word));
}

/** Without the endings of a plural, a participle and a mute e. It is wrong for a few words, and then on both sides. */
function stem(word: string): string {
  const one = singular(word);
  // "settings" are no participle.
  const base = one === word ? one.replace(/(?<=.{3})(?:ing|ed)$/, '') : one;
  // "stop" and "stopped" meet at "stop", "merge" and "merging" at "merg".
  return base.replace(/([^aeiou])\1$/, '$1').replace(/(?<=.{3})e$/, '');
}
