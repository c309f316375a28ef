import fc from 'fast-check';
import { atOnce } from '../platform/short-steps.js';
import { rankOperations, toTerms, type Term } from './operation-ranking.js';
import { TextIndexer, type OperationTexts, type SearchedOperation } from './operation-texts.js';
import { STEP_SIZE } from './pauses.js';
import { METHOD_VERBS } from './search-words.js';

function buildIndex(operations: readonly SearchedOperation[]): OperationTexts {
  const indexer = new TextIndexer();
  atOnce(indexer.add(operations));
  return atOnce(indexer.finish());
}

/** Ranks each operation by itself, and sorts all of them. */
function ranked(indexes: readonly OperationTexts[], query: string, limit: number): number[] {
  const terms = toTerms(query, indexes);
  const verbs = new Set(Object.values(METHOD_VERBS));
  const isVerb = ({ word, isOwnVerb }: Term) => isOwnVerb || verbs.has(word);
  const size = indexes.reduce((sum, index) => sum + index.size, 0);
  const whole = terms.map(({ word }) => word).join(' ');
  const isChange = terms.some(({ isOwnVerb }) => isOwnVerb);
  const all = indexes.flatMap((index) =>
    index.operations.map((operation, position) => ({ ...operation, index, position, score: 0 })),
  );
  for (const term of [...terms].sort((one, other) => Number(isVerb(one)) - Number(isVerb(other)))) {
    const frequencies = all.map(({ index, position, score }) => {
      let best = 0;
      for (const [word, holders] of index.words) {
        const at = holders.operations.indexOf(position);
        if (at === -1) continue;
        const [short, long] = [word, term.word].sort((one, other) => one.length - other.length);
        const begins = short.length >= 4 && long.startsWith(short);
        const update = term.isOwnVerb && score > 0 && word === METHOD_VERBS.PATCH ? 0.1 : 0;
        best = Math.max(best, (word === term.word ? 1 : begins ? 0.5 : update) * holders.frequencies[at]);
      }
      return best;
    });
    const rarity = Math.log(1 + size / (1 + frequencies.filter((frequency) => frequency > 0).length));
    const weight = term.word === 'me' ? rarity * 0.3 : rarity;
    for (const [at, frequency] of frequencies.entries()) {
      if (all[at].score === 0 && verbs.has(term.word) && terms.length > 1) continue;
      all[at].score += (weight * frequency) / (1.2 + frequency);
    }
  }
  return all
    .filter(({ score }) => score > 0)
    .map(({ id, method, depth, summary, score }) => {
      const change = isChange ? ({ POST: 1, PUT: 0.5, PATCH: 0.5 }[method] ?? 0) : 0;
      return { id, score: score + change + (summary === whole ? 2 : 0) - 0.1 * depth };
    })
    .sort((one, other) => other.score - one.score || one.id - other.id)
    .slice(0, limit)
    .map(({ id }) => id);
}

const WORDS = [
  'order',
  'orders',
  'orderly',
  'my',
  'the',
  'a',
  'update',
  'delete',
  'list',
  'protect',
  'protection',
  'branch',
  'log',
  'in',
];
const phrase = fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }).map((words) => words.join(' '));
const operation = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'HEAD'),
  path: fc.array(fc.constantFrom(...WORDS, '{id}'), { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
  operationId: fc.option(phrase),
  summary: fc.option(phrase),
  description: fc.option(phrase),
});

describe('rankOperations', () => {
  it('gives what ranking each operation by itself gives', () => {
    const services = fc.array(fc.array(operation, { maxLength: 12 }), { maxLength: 3 });
    fc.assert(
      fc.property(services, phrase, fc.integer({ min: 1, max: 8 }), (given, query, limit) => {
        let id = 0;
        const indexes = given.map((operations) => buildIndex(operations.map((each) => ({ ...each, id: ++id }))));
        expect(atOnce(rankOperations(indexes, query, limit))).toEqual(ranked(indexes, query, limit));
      }),
      { numRuns: 500 },
    );
  });

  it('reads a limited number of operations in each step, and gives the same result as all steps at once', () => {
    const operations = Array.from({ length: 20_000 }, (_, id) => ({
      id,
      method: 'GET',
      path: `/orders/${id % 7}/{id}`,
      operationId: `getOrder${id}`,
      summary: 'Get an order of a customer',
      description: null,
    }));
    const indexer = new TextIndexer();
    const steps = { add: count(indexer.add(operations)), finish: count(indexer.finish()) };
    const index = steps.finish.result;
    // An operation here has about ten words, and a word costs as much as ten comparisons.
    for (const { steps: taken } of Object.values(steps)) expect(taken).toBeGreaterThan((20_000 * 10) / STEP_SIZE);

    let touched = 0;
    const counted = <Item>(list: Item[]): Item[] =>
      new Proxy(list, { get: (target, key) => (typeof key === 'string' && touched++, Reflect.get(target, key)) });
    const words: OperationTexts['words'] = new Map();
    for (const [word, holders] of index.words) words.set(word, { ...holders, operations: counted(holders.operations) });
    const watched = { ...index, words, operations: counted(index.operations) };
    const { most, result } = count(rankOperations([watched], 'get order of a customer', 10), () => touched);
    expect(most).toBeLessThanOrEqual(4 * STEP_SIZE);
    expect(touched).toBeGreaterThan(20_000);
    expect(result).toEqual(atOnce(rankOperations([index], 'get order of a customer', 10)));
  });
});

/** Runs steps one by one. `most` is the most of what a step adds to the counter. */
function count<Result>(given: Generator<void, Result, void>, counter: () => number = () => 0) {
  let most = 0;
  for (let steps = 1; ; steps++) {
    const before = counter();
    const { done, value } = given.next();
    most = Math.max(most, counter() - before);
    if (done) return { steps, most, result: value };
  }
}
