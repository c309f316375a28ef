import { toDescribedOperation } from './described-operations.js';

const row = {
  method: 'POST',
  comparedPath: null,
  operationId: 'listThings',
  summary: 'List things',
  description: null,
  facts: null,
};

it.each([
  ['/things', null, true],
  ['/things?action=list', null, false],
  ['/things#action=list', null, false],
  ['/things', '/things?action=list', false],
])('lets only the path of an operation lower what a request does: %s %s', (path, comparedPath, mayLower) => {
  expect(toDescribedOperation({ ...row, path, comparedPath }, false).mayLower).toBe(mayLower);
});
