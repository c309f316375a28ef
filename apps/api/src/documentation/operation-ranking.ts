import type { ShortSteps } from '../platform/short-steps.js';
import type { OperationTexts } from './operation-texts.js';
import { Pauses } from './pauses.js';
import { ME, METHOD_VERBS, searchWords, splitWords } from './search-words.js';

/** How many words of a query are used. */
const TERMS_MAX = 8;
/** How quickly further occurrences of a word stop to matter: the k1 of BM25. */
const SATURATION = 1.2;
/** A word that only starts with the searched word counts half, like "protection" for "protect". */
const BEGINNING_SHARE = 0.5;
const BEGINNING_MIN = 4;
/**
 * Lower weight for "me", because many summaries contain "the authenticated user", and "my" in a query often means
 * little.
 */
const ME_SHARE = 0.3;
/** A word before one of these is a verb: "protect a branch" describes a change, "branches of a repository" does not. */
const DETERMINERS = new Set(['a', 'an', 'the', 'my', 'this', 'on']);
/** The methods that a query with such a verb prefers. */
const CHANGES: Record<string, number | undefined> = { POST: 1, PUT: 0.5, PATCH: 0.5 };
/** A change with a specific verb, like "close an issue", is often documented as an update. */
const UPDATE_SHARE = 0.1;
const UPDATE = METHOD_VERBS.PATCH!;
/** Added to the score if the summary has exactly the words of the query. */
const SAME_SUMMARY = 2;
/** Subtracted for each path segment, because a longer path is about a more specific resource. */
const DEPTH_COST = 0.1;
const VERBS = new Set(Object.values(METHOD_VERBS));

export interface Term {
  word: string;
  isOwnVerb: boolean;
}

/** A number for each operation of one service, by its index; 0 for those without the word. */
type Numbers = Float64Array;

/**
 * Returns the ids of the operations that match a query, the best first. Ranks them with BM25F, which is BM25 over
 * fields. It is done in steps, because large documents have ten thousands of operations.
 */
export function* rankOperations(
  indexes: readonly OperationTexts[],
  query: string,
  limit: number,
): ShortSteps<number[]> {
  const pauses = new Pauses();
  const terms = toTerms(query, indexes);
  const isChange = terms.some(({ isOwnVerb }) => isOwnVerb);
  const whole = terms.map(({ word }) => word).join(' ');
  const scores = yield* scoreOperations(indexes, terms, pauses);
  const best: Ranked[] = [];
  for (const [at, index] of indexes.entries()) {
    for (const [position, { id, method, depth, summary }] of index.operations.entries()) {
      if (pauses.isDue()) yield;
      const score = scores[at][position];
      if (score === 0) continue;
      const change = isChange ? (CHANGES[method] ?? 0) : 0;
      const next = { id, score: score + change + (summary === whole ? SAME_SUMMARY : 0) - DEPTH_COST * depth };
      if (best.length === limit && isBefore(best[limit - 1], next)) continue;
      insert(best, limit, next);
      if (pauses.isDue(limit)) yield;
    }
  }
  return best.map(({ id }) => id);
}

interface Ranked {
  id: number;
  score: number;
}

function insert(best: Ranked[], limit: number, next: Ranked): void {
  const worse = best.findIndex((kept) => isBefore(next, kept));
  best.splice(worse === -1 ? best.length : worse, 0, next);
  if (best.length > limit) best.pop();
}

const isBefore = (one: Ranked, other: Ranked): boolean =>
  one.score === other.score ? one.id < other.id : one.score > other.score;

function* scoreOperations(
  indexes: readonly OperationTexts[],
  terms: readonly Term[],
  pauses: Pauses,
): ShortSteps<readonly Numbers[]> {
  const scores = indexes.map((index) => new Float64Array(index.size));
  const size = indexes.reduce((sum, index) => sum + index.size, 0);
  // Verbs come last, and only raise the scores of operations that other words have found. Otherwise "delete a zeppelin"
  // would find every delete operation.
  for (const { word, isOwnVerb } of [...terms].sort((one, other) => Number(isVerb(one)) - Number(isVerb(other)))) {
    const found: Holders[] = [];
    for (const [at, index] of indexes.entries()) {
      found.push(yield* frequencies(index, word, isOwnVerb ? scores[at] : null, pauses));
    }
    // Counts all services together, so that a word is equally rare in small and large ones.
    const rarity = Math.log(1 + size / (1 + found.reduce((sum, { count }) => sum + count, 0)));
    const weight = word === ME ? rarity * ME_SHARE : rarity;
    for (const [at, holders] of found.entries()) {
      if (holders.count === 0) continue;
      for (const [position, frequency] of holders.frequencies.entries()) {
        if (pauses.isDue()) yield;
        if (frequency === 0) continue;
        const score = scores[at][position];
        if (score === 0 && VERBS.has(word) && terms.length > 1) continue;
        scores[at][position] = score + (weight * frequency) / (SATURATION + frequency);
      }
    }
  }
  return scores;
}

/** The words of a query that count. */
export function toTerms(query: string, indexes: readonly OperationTexts[]): Term[] {
  const words = splitWords(query);
  // Joins neighbouring words, because "log in" can be written "login", and "re-run" "rerun".
  const joined = searchWords(words.slice(1).map((word, at) => words[at] + word));
  const known = joined.filter((word) => indexes.some((index) => index.words.has(word)));
  const all = [...new Set([...searchWords(words), ...known])];
  // A query has only one verb: in "list open issues", "open" is not a verb.
  const verb = all.find((word) => VERBS.has(word));
  const [first] = searchWords(words.slice(0, 1));
  const ownVerb = DETERMINERS.has(words[1]) && !VERBS.has(first) ? first : undefined;
  return all
    .filter((word) => word === verb || !VERBS.has(word))
    .slice(0, TERMS_MAX)
    .map((word) => ({ word, isOwnVerb: word === ownVerb }));
}

const isVerb = ({ word, isOwnVerb }: Term): boolean => isOwnVerb || VERBS.has(word);

/** The operations that contain a word. */
interface Holders {
  count: number;
  frequencies: Numbers;
}

/**
 * Counts how often each operation contains the word or a similar one.
 * @param candidates set if the word is a specific verb: updates among these operations count a little
 */
function* frequencies(
  { words, size }: OperationTexts,
  term: string,
  candidates: Numbers | null,
  pauses: Pauses,
): ShortSteps<Holders> {
  const found: Holders = { count: 0, frequencies: new Float64Array(0) };
  for (const [word, { operations, frequencies: given }] of words) {
    if (pauses.isDue()) yield;
    const share = likeness(word, term);
    const isUpdate = share === 0 && candidates !== null && word === UPDATE;
    if (share === 0 && !isUpdate) continue;
    if (found.count === 0) found.frequencies = new Float64Array(size);
    for (const [at, position] of operations.entries()) {
      if (pauses.isDue()) yield;
      if (isUpdate && candidates[position] === 0) continue;
      const before = found.frequencies[position];
      if (before === 0) found.count += 1;
      found.frequencies[position] = Math.max(before, (isUpdate ? UPDATE_SHARE : share) * given[at]);
    }
  }
  return found;
}

function likeness(word: string, term: string): number {
  if (word === term) return 1;
  const isBeginning = word.startsWith(term) || term.startsWith(word);
  return isBeginning && Math.min(word.length, term.length) >= BEGINNING_MIN ? BEGINNING_SHARE : 0;
}
