/** Names that say more than one act: `findAndModify`, `search_or_create`. */
import { isAbout, tableOf, verbAt } from './names.js';
import { NOUN_VERBS } from './words.js';

const CONJUNCTIONS = tableOf('and or then');
/** Verbs that look for something, and verbs that surely change what was found: `searchReplace`. */
const [FINDS, CHANGES] = [
  'find search list query read fetch select lookup',
  'delete remove update replace modify insert upsert revoke purge create',
].map(tableOf);

const nounVerbs = tableOf(NOUN_VERBS);

/** The parts of a name that says more than one act. Each but the first begins with a verb. */
export function clausesOf(words: readonly string[]): string[][] {
  const clauses: string[][] = [[]];
  for (const [at, word] of words.entries()) {
    const isNext = CONJUNCTIONS.has(word) && at > 0 && verbAt(words, at + 1, false) !== null;
    if (isNext || (at === 1 && FINDS.has(words[0]) && CHANGES.has(word) && !isAbout(words.at(-1)!))) clauses.push([]);
    if (!isNext) clauses.at(-1)!.push(word);
  }
  return clauses;
}

/**
 * What a summary says behind a conjunction, from its verb on. Of a GET, it counts only directly behind the first verb, as in
 * `Get and delete a message`, because nouns such as `update` often follow a conjunction.
 */
export function clausesOfSentence(words: readonly string[], isGet: boolean): string[][] {
  const first = verbAt(words, 0, true);
  return words.flatMap((word, at) => {
    if (first === null || at === 0 || !CONJUNCTIONS.has(word) || (isGet && at !== first.length)) return [];
    const verb = verbAt(words, at + 1, true);
    if (verb === null || verb.kind === 'read') return [];
    // `Search orders and charges by date`
    const isThing = at > first.length && nounVerbs.has(verb.text);
    return [words.slice(at + 1, isThing ? at + 1 + verb.length : undefined)];
  });
}
