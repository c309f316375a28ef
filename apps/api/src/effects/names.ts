import { singular } from '../request-reading/singular.js';
import {
  ABOUT,
  CONTAINERS,
  DEFINITIONS,
  MANY,
  NOUN_VERBS,
  READS_IN_SUMMARIES,
  SECRETS,
  THINGS,
  VERBS,
  type ThingKind,
  type VerbKind,
} from './words.js';

/** Longer names are cut, so that hostile ones cost little. */
const NAME_MAX = 200;
/** The most words that an entry of the tables has. */
const PHRASE_MAX = 4;

/** The words of a name in lower case: `APIKey_list` has `api`, `key`, `list`. */
export const wordsOf = (name: string): string[] =>
  name
    .slice(0, NAME_MAX)
    .replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$2 ')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '');

/** A set of the words in a table. */
export const tableOf = (table: string): ReadonlySet<string> => new Set(table.split(/\s+/));

const verbs = new Map(
  Object.entries(VERBS).flatMap(([kind, table]) =>
    Array.from(tableOf(table), (verb) => [verb, kind as VerbKind] as const),
  ),
);
const readsInSummaries = tableOf(READS_IN_SUMMARIES);
const things = new Map<string, ThingKind[]>();
for (const [kind, table] of Object.entries(THINGS)) {
  for (const thing of tableOf(table)) things.set(thing, [...(things.get(thing) ?? []), kind as ThingKind]);
}
const [containers, secrets, about, many, definitions] = [CONTAINERS, SECRETS, ABOUT, MANY, DEFINITIONS].map(tableOf);

export interface FoundVerb {
  kind: VerbKind;
  text: string;
  /** How many words it has. */
  length: number;
}

/** The verb that begins at a word. @param isSentence whether it may have the ending of `deletes` */
export function verbAt(words: readonly string[], at: number, isSentence: boolean): FoundVerb | null {
  for (let length = Math.min(PHRASE_MAX, words.length - at); length > 0; length--) {
    const phrase = words.slice(at, at + length);
    const forms = isSentence ? baseForms(phrase) : [phrase.join('-')];
    const reading = isSentence ? forms.find((form) => readsInSummaries.has(form)) : undefined;
    if (reading !== undefined) return { kind: 'read', text: reading, length };
    const text = forms.find((form) => verbs.has(form));
    if (text !== undefined) return { kind: verbs.get(text)!, text, length };
  }
  return null;
}

/** `deletes`, `pushes`, `copies`, `deleting`: the first word has the ending. */
function baseForms([first, ...rest]: readonly string[]): string[] {
  const stem = first.replace(/ing$/, '');
  const forms = [
    first,
    first.replace(/s$/, ''),
    first.replace(/es$/, ''),
    first.replace(/ies$/, 'y'),
    stem,
    `${stem}e`,
    stem.replace(/(.)\1$/, '$1'),
  ];
  return forms.map((form) => [form, ...rest].join('-'));
}

export interface FoundThing {
  kinds: readonly ThingKind[];
  text: string;
  isContainer: boolean;
  isSecret: boolean;
  isDefinition: boolean;
}

/** The things that words name, the longest names first: `api key` is not `key`. */
export function thingsIn(words: readonly string[]): FoundThing[] {
  const found: FoundThing[] = [];
  const singulars = words.map((word) => (word === 'aliases' ? 'alias' : singular(word)));
  for (let at = 0; at < words.length;) {
    const { thing, length } = thingAt(singulars, at);
    if (thing) found.push(thing);
    at += length;
  }
  return found;
}

function thingAt(words: readonly string[], at: number): { thing: FoundThing | null; length: number } {
  for (let length = Math.min(PHRASE_MAX, words.length - at); length > 0; length--) {
    const text = words.slice(at, at + length).join('-');
    const [kinds, isContainer, isSecret] = [things.get(text) ?? [], containers.has(text), secrets.has(text)];
    if (kinds.length > 0 || isContainer || isSecret) {
      return { thing: { kinds, text, isContainer, isSecret, isDefinition: definitions.has(text) }, length };
    }
  }
  return { thing: null, length: 1 };
}

const nounVerbs = tableOf(NOUN_VERBS);
/** Whether words name things, although they begin with a verb: `merge_requests`. */
export const isPluralOfThings = (words: readonly string[]): boolean =>
  words.length > 1 && nounVerbs.has(words[0]) && singular(words.at(-1)!) !== words.at(-1);

/** Whether a word makes a name one about an act: `history` in `deploy-history`. */
export const isAbout = (word: string): boolean => about.has(singular(word));

export const namesMany = (words: readonly string[]): boolean =>
  words.some(
    (word, at) => (many.has(word) && !isOne(word, words[at + 1] ?? '')) || many.has(`${word}-${words[at + 1]}`),
  );

/** `change_multiple_column_values` and `batch-groups` concern one thing. */
const isOne = (word: string, next: string): boolean =>
  (word === 'multiple' && COLUMNS.has(singular(next))) || (word === 'batch' && GROUPS.has(singular(next)));
const [COLUMNS, GROUPS] = ['value column field property attribute cell', 'group id size number name'].map(tableOf);
