import type { DocumentedOperation } from '#contracts';
import { operationTree } from './operation-tree.js';

const operation = (method: string, path: string, summary: string | null = null): DocumentedOperation => ({
  documentId: 1,
  method,
  path,
  operationId: null,
  summary,
});
const all = [
  operation('DELETE', '/customers/{id}', 'Permanently deletes'),
  operation('GET', '/balance', 'Show the balance of an account'),
  operation('GET', '/customers/{id}'),
  operation('GET', '/customers'),
];
const lines = (search = '') =>
  operationTree(all, search).map(({ path, count, operation: found }) =>
    found ? `${found.method} ${path}` : `${path} (${count})`,
  );

describe('operationTree', () => {
  it('groups the tools of MCP servers under an empty segment, by name', () => {
    const tools = ['ping', 'issue_credit'].map((operationId) => ({ ...operation('POST', ''), operationId }));
    expect(operationTree([...tools, operation('GET', '/')], '').map(({ path, count }) => [path, count])).toEqual([
      ['', 2],
      ['issue_credit', 1],
      ['ping', 1],
      ['/', 1],
      ['/', 1],
    ]);
  });

  it('groups by first segment and sorts by path and method', () => {
    expect(lines()).toEqual([
      '/balance (1)',
      'GET /balance',
      '/customers (3)',
      'GET /customers',
      'GET /customers/{id}',
      'DELETE /customers/{id}',
    ]);
  });

  it('finds by method, path and summary', () => {
    expect(lines('permanently')).toEqual(['/customers (1)', 'DELETE /customers/{id}']);
    expect(lines('delete /cust')).toEqual(['/customers (1)', 'DELETE /customers/{id}']);
    expect(lines('nothing')).toEqual([]);
  });

  it('finds words in any order and position', () => {
    expect(lines('account  balance')).toEqual(['/balance (1)', 'GET /balance']);
    expect(lines(' permanently {id} DELETE ')).toEqual(['/customers (1)', 'DELETE /customers/{id}']);
    expect(lines('account customers')).toEqual([]);
  });
});
