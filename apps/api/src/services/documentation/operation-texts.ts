import { setImmediate } from 'node:timers/promises';
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
/** After this many operations, indexing pauses to let other requests run. */
const STEP = 200;

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

/** Indexes the words of operations. */
export async function indexTexts(operations: readonly SearchedOperation[]): Promise<OperationTexts> {
  const index: OperationTexts = { size: operations.length, operations: [], words: new Map() };
  const texts: Record<Field, string[]>[] = [];
  for (const operation of operations) {
    if (texts.push(wordsOf(operation)) % STEP === 0) await setImmediate();
  }
  const meanLengths = FIELDS.map((field) => mean(texts.map((text) => text[field].length)) || 1);
  for (const [position, { id, method, path }] of operations.entries()) {
    const text = texts[position];
    for (const [word, frequency] of frequenciesOf(text, meanLengths)) {
      let holders = index.words.get(word);
      if (!holders) index.words.set(word, (holders = { operations: [], frequencies: [] }));
      holders.operations.push(position);
      holders.frequencies.push(frequency);
    }
    const depth = path.split('/').length;
    if (index.operations.push({ id, method, depth, summary: text.summary.join(' ') }) % STEP === 0)
      await setImmediate();
  }
  return index;
}

function wordsOf({ method, path, operationId, summary, description }: SearchedOperation): Record<Field, string[]> {
  return {
    summary: searchWords(splitWords(summary ?? '')),
    operationId: searchWords(splitWords(operationId ?? '')),
    path: searchWords(splitWords(path.replace(/\{[^{}]*\}/g, ' '))),
    method: [METHOD_VERBS[method] ?? method.toLowerCase()],
    description: searchWords(splitWords(description ?? '')),
  };
}

function frequenciesOf(text: Record<Field, string[]>, meanLengths: readonly number[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const [at, field] of FIELDS.entries()) {
    const words = text[field];
    const share = WEIGHTS[field] / (1 - LENGTH_SHARE + (LENGTH_SHARE * words.length) / meanLengths[at]);
    for (const word of words) frequencies.set(word, (frequencies.get(word) ?? 0) + share);
  }
  return frequencies;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / (numbers.length || 1);
}
