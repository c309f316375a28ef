import type { DocumentedOperation } from '#contracts';
import fc from 'fast-check';
import { findOperations, operationWords, ruleOperations } from './operation-search.js';

const operation = (method: string, path: string, change: Partial<DocumentedOperation> = {}): DocumentedOperation => ({
  ...{ documentId: 1, method, path, operationId: null, summary: null, pathPattern: path.replaceAll(/\{\w+\}/g, '*') },
  ...change,
});
const REFUND = operation('POST', '/refunds', { summary: 'Create a refund' });
const CHARGE = operation('POST', '/charges/{id}/refund', { summary: 'Refund a charge' });
const BALANCE = operation('GET', '/balance', { operationId: 'getRefundBalance' });
const all = [BALANCE, REFUND, CHARGE];

it.each([
  ['', [REFUND, CHARGE, BALANCE]],
  ['refund', [CHARGE, REFUND, BALANCE]],
  ['Refund  CREATE', [REFUND]],
  ['get refund', [BALANCE]],
  ['/charges', [CHARGE]],
  ['delete', []],
])('finds by the words %j', (search, found) => {
  expect(new Set(findOperations(all, search, 9))).toEqual(new Set(found));
  expect(findOperations(all, search, 9)).toHaveLength(found.length);
  if (search !== '') expect(findOperations(all, search, 9)).toEqual(found);
});

it('finds no more than are asked for, each once, and all of them with every word', () => {
  const words = fc.array(fc.constantFrom('refund', 'charge', 'list', 'Create'), { maxLength: 3 });
  const some = words.map((summary) => operation('GET', '/x', { summary: summary.join(' ') }));
  fc.assert(
    fc.property(fc.array(some), words, fc.integer({ min: 1, max: 5 }), (operations, searched, max) => {
      const found = findOperations(operations, searched.join(' '), max);
      const fits = ({ summary }: DocumentedOperation) =>
        searched.every((word) => summary!.toLowerCase().includes(word.toLowerCase()));
      expect(new Set(found).size).toBe(found.length);
      expect(found.every(fits)).toBe(true);
      expect(found).toHaveLength(Math.min(max, operations.filter(fits).length));
    }),
  );
});

it('offers what a rule can state', () => {
  const tool = operation('POST', '', { operationId: 'ping', pathPattern: null });
  const older = operation('GET', '/a', { pathPattern: undefined });
  expect(ruleOperations([REFUND, tool, older, operation('TRACE', '/a')])).toEqual([REFUND]);
});

it.each([
  [{ summary: 'delete a pod' }, 'Delete a pod'],
  [{ summary: 'écrire' }, 'Écrire'],
  [{ summary: 'iPhone models', operationId: 'models' }, 'iPhone models'],
  [{ summary: 'list_all items' }, 'list_all items'],
  [{ summary: 'List pods' }, 'List pods'],
  [{ summary: '', operationId: 'listPods' }, 'listPods'],
  [{}, null],
])('says what the operation %j does', (change, words) => {
  expect(operationWords(operation('GET', '/pods', change))).toBe(words);
});
