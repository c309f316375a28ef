import type { ShortSteps } from '../platform/short-steps.js';
import { Pauses } from './pauses.js';
import { METHOD_VERBS, searchWords, splitWords } from './search-words.js';

/** The searched fields of an operation. */
export interface SearchedOperation {
  id: number;
  method: string;
  path: string;
  operationId: string | null;
  summary: string | null;
  description: string | null;
}

/** The weight of a word in each field. */
const WEIGHTS = { summary: 3, operationId: 2, path: 2, method: 1.5, description: 0.5 };
type Field = keyof typeof WEIGHTS;
const FIELDS = Object.keys(WEIGHTS) as Field[];
/** How much a long text lowers the weight of its words: the b of BM25. */
const LENGTH_SHARE = 0.75;
/** Splitting and stemming a word takes about as long as so many comparisons. */
const WORD_COST = 10;

/** The operations that contain a word, with the number of occurrences, weighted by field. */
interface Holders {
  operations: number[];
  frequencies: number[];
}

/** The search index of one service's operations. */
export interface OperationTexts {
  size: number;
  operations: { id: number; method: string; depth: number; summary: string }[];
  words: Map<string, Holders>;
}

/** Indexes the words of operations, in steps. */
export class TextIndexer {
  private readonly operations: SearchedOperation[] = [];
  private readonly texts: Record<Field, string[]>[] = [];
  private readonly lengths = FIELDS.map(() => 0);
  private readonly pauses = new Pauses();

  *add(operations: readonly SearchedOperation[]): ShortSteps<void> {
    for (const operation of operations) {
      const text = wordsByField(operation);
      this.operations.push(operation);
      this.texts.push(text);
      for (const [at, field] of FIELDS.entries()) this.lengths[at] += text[field].length;
      if (this.pauses.isDue(WORD_COST * wordsIn(text))) yield;
    }
  }

  /** @returns the index of all operations that were added */
  *finish(): ShortSteps<OperationTexts> {
    const index: OperationTexts = { size: this.operations.length, operations: [], words: new Map() };
    const meanLengths = this.lengths.map((length) => length / (index.size || 1) || 1);
    for (const [position, { id, method, path }] of this.operations.entries()) {
      const text = this.texts[position];
      for (const [word, frequency] of countFrequencies(text, meanLengths)) {
        let holders = index.words.get(word);
        if (!holders) index.words.set(word, (holders = { operations: [], frequencies: [] }));
        holders.operations.push(position);
        holders.frequencies.push(frequency);
      }
      index.operations.push({ id, method, depth: path.split('/').length, summary: text.summary.join(' ') });
      if (this.pauses.isDue(WORD_COST * wordsIn(text))) yield;
    }
    return index;
  }
}

const wordsIn = (text: Record<Field, string[]>): number => FIELDS.reduce((sum, field) => sum + text[field].length, 0);

function wordsByField({ method, path, operationId, summary, description }: SearchedOperation): Record<Field, string[]> {
  return {
    summary: searchWords(splitWords(summary ?? '')),
    operationId: searchWords(splitWords(operationId ?? '')),
    path: searchWords(splitWords(path.replace(/\{[^{}]*\}/g, ' '))),
    method: [METHOD_VERBS[method] ?? method.toLowerCase()],
    description: searchWords(splitWords(description ?? '')),
  };
}

function countFrequencies(text: Record<Field, string[]>, meanLengths: readonly number[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const [at, field] of FIELDS.entries()) {
    const words = text[field];
    const share = WEIGHTS[field] / (1 - LENGTH_SHARE + (LENGTH_SHARE * words.length) / meanLengths[at]);
    for (const word of words) frequencies.set(word, (frequencies.get(word) ?? 0) + share);
  }
  return frequencies;
}
