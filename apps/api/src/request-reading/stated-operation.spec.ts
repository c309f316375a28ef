import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { statedOperation } from './stated-operation.js';

const stated = (path: string, body: unknown = null, headers: Record<string, string> = {}) =>
  statedOperation({
    method: 'POST',
    targetUrl: `https://api.example.com${path}`,
    headers,
    body: typeof body === 'string' || body === null ? body : JSON.stringify(body),
  });
const FORM = 'application/x-www-form-urlencoded';
const graphql = (query: string, operationName?: string) => stated('/graphql', { query, operationName })!.words;

describe('statedOperation', () => {
  it.each([
    ['{ viewer { login } }', 'query viewer'],
    ['mutation { deleteRepository(id: 1) { id } }', 'mutation deleteRepository'],
    ['mutation CleanUp($id: ID!) { deleteRepository(id: $id) { id } }', 'mutation deleteRepository (CleanUp)'],
    ['mutation { harmless: deleteRepository(id: "}") { id } }', 'mutation deleteRepository'],
    ['mutation { ...F } fragment F on Mutation { ...G a } fragment G on Mutation { b ...F }', 'mutation b, a'],
    ['mutation { ... on Mutation { a } ... @include(if: true) { b } }', 'mutation a, b'],
    ['query Look { a } mutation Act { b }', 'mutation b (Act), query a (Look)'],
    ['# query { a }\nmutation { b(text: """ { """) }', 'mutation b'],
    ['subscription { messageAdded { id } }', 'subscription messageAdded'],
    ['mutation { a', 'unreadable operation'],
    ['fragment F on Mutation { a }', 'unreadable operation'],
    [`{ ${'a '.repeat(30_000)}}`, 'unreadable operation'],
    [`{ ${'a { '.repeat(9_000)}`, 'unreadable operation'],
  ])('reads %s', (query, words) => {
    expect(graphql(query)).toBe(words);
  });

  it('resolves a fragment only for the operations that are shown', async () => {
    const fields = Array.from({ length: 5000 }, (_, i) => `a${i}`).join(' ');
    const document = (selected: string): string => `${`{${selected}}`.repeat(1200)}fragment F on Query{${fields}}`;
    const [shared, plain] = [document('...F'), document('...G')];
    expect(graphql(shared)).toMatch(/^query a0, a1, .* and \d+ more and 1199 more$/);
    // Once for each operation took a hundred times as long.
    expect(
      await timesAsLong(
        () => graphql(shared),
        () => graphql(plain),
      ),
    ).toBeLessThan(4);
  });

  it('reads fragments that are nested deeper than a document can be', () => {
    const [deep, names] = ['...{'.repeat(500), Array.from({ length: 12 }, (_, i) => `F${i}`)];
    const fragments = names.map((name, i) => `fragment ${name} on Q{${deep}a${i} ...F${i + 1}${'}'.repeat(501)}`);
    expect(
      graphql(`
        {
          ...F0
        }
        ${fragments.join('')}
      `),
    ).toBe('query a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11');
  });

  it('reads the selected operation, or all if none is selected', () => {
    const query = 'query Look { a } mutation Act { b }';
    expect(graphql(query, 'Look')).toBe('query a (Look)');
    expect(graphql(query, 'Other')).toBe('mutation b (Act), query a (Look)');
  });

  it.each<[string, string, string]>([
    ['/graphql?operationName=Act', '"operationName": "Look"', 'mutation b (Act), query a (Look)'],
    ['/graphql?OPERATIONNAME=Act', '"operationName": "Look"', 'mutation b (Act), query a (Look)'],
    ['/graphql', '"OperationName": "Look"', 'query a (Look)'],
    ['/graphql', '"operationName": "Look", "OperationName": "Act"', 'unreadable operation'],
    ['/graphql', '"operationName": "Act", "operationName": "Look"', 'unreadable operation'],
    ['/graphql', '"Query": "mutation { c }", "operationName": "Look"', 'unreadable operation'],
    ['/api', '"query": "text"', 'unreadable operation'],
    ['/graphql?query=mutation{c}', '"x": 1', 'mutation b (Act), mutation c, query a (Look)'],
    ['/graphql?query=mutation{c}&Query={d}', '"x": 1', 'unreadable operation'],
  ])('names all that readers may run of POST %s with %s', (path, fields, words) => {
    const query = 'query Look { a } mutation Act { b }';
    expect(stated(path, `{"query": "${query}", ${fields}}`)).toEqual({ by: 'graphql', words });
  });

  it.each<[string, string | null]>([
    ['{"jsonrpc": "2.0", "method": "read", "METHOD": "delete"}', 'unreadable operation'],
    ['{"jsonrpc": "2.0", "method": "delete", "method": "read"}', 'unreadable operation'],
    ['[{"jsonrpc": "2.0", "method": "delete", "method": 1}]', 'unreadable operation'],
    ['{"JsonRPC": "2.0", "Method": "delete"}', 'delete'],
    ['{"jsonrpc": "2.0", "method": "read", "params": {"method": "x", "query": 1}}', 'read'],
  ])('reads the method of %s like servers that fold letter case', (body, words) => {
    expect(stated('/', body)).toEqual({ by: 'rpc', words });
  });

  it('reads a form with many equal fields', () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(stated('/graphql', `query={a}${'&query={a}'.repeat(900)}`, type)!.words).toBe('unreadable operation');
  });

  it('is short and says how many operations it leaves out', () => {
    const fields = Array.from({ length: 50 }, (_, i) => `field${i}`).join(' ');
    expect(graphql(`mutation ${'N'.repeat(500)} { ${fields} }`)).toMatch(
      /^mutation field0, .* and \d+ more \(N{40}\)$/,
    );
    expect(stated('/graphql', [{ query: '{ a }' }, { query: 'mutation { b }' }])!.words).toBe('mutation b, query a');
  });

  it.each([
    ['/graphql', null],
    ['/admin/api/2024-01/graphql.json', { query: 'mutation { a }' }],
    ['/graphql?query={a}', null],
    ['/anything', { query: 'mutation { a }' }],
  ])('recognizes GraphQL at %s with %j', (path, body) => {
    expect(stated(path, body)?.by).toBe('graphql');
  });

  it('recognizes GraphQL by its content type', () => {
    const { by, words } = stated('/api', 'mutation { a }', { 'content-type': 'application/graphql' })!;
    expect([by, words]).toEqual(['graphql', 'mutation a']);
  });

  it('recognizes GraphQL in a form', () => {
    const { by, words } = stated('/api', 'query=mutation%20%7Ba%7D', {
      'content-type': 'application/x-www-form-urlencoded',
    })!;
    expect([by, words]).toEqual(['graphql', 'mutation a']);
  });

  it.each<[string, string, string]>([
    ['comments', JSON.stringify({ query: `${'#\n'.repeat(400_000)}x` }), 'graphql'],
    ['short comments', JSON.stringify({ query: `${'#\n'.repeat(200_000)}{a}` }), 'graphql'],
    ['nested selections', JSON.stringify({ query: `mutation ${'{a'.repeat(1_000_000)}` }), 'graphql'],
    ['a key with escapes', `{"q\\u0075ery": "{a}", "x": "${'x'.repeat(1_000_000)}"}`, 'graphql'],
    ['calls', JSON.stringify(Array(300_000).fill({ jsonrpc: '2.0', method: 'a' })), 'rpc'],
  ])('detects an operation in a huge body of %s without naming it', (_what, body, by) => {
    expect(stated('/api', body)?.by).toBe(by);
  });

  it.each([
    ['JSON', `{"query":"{a}","b":[${'[],'.repeat(200_000)}1]}`, 'application/json', 'graphql'],
    ['JSON', `{"jsonrpc":"2.0","b":[${'[],'.repeat(200_000)}1]}`, 'application/json', 'rpc'],
    ['JSON', `{"method":"a","params":[],"id":1,"b":[${'[],'.repeat(200_000)}1]}`, 'application/json', 'rpc'],
    ['JSON', `{"jsonr\\u0070c":"2.0","b":[${'[],'.repeat(200_000)}1]}`, 'application/json', 'rpc'],
    ['JSON', `{"b":[${'[],'.repeat(200_000)}1]}`, 'application/json', undefined],
    ['a form', `${'a&'.repeat(100_000)}query={a}`, FORM, 'graphql'],
    ['a form', `qu%65ry={a}${'&a'.repeat(1000)}`, FORM, 'graphql'],
    ['a form', `query={a}&a=${'a'.repeat(1_000_000)}`, FORM, 'graphql'],
    ['a form', `a=query${'&myquery=1'.repeat(100_000)}`, FORM, undefined],
  ])('does not read %s with very many values, but finds the keys that matter', (_what, body, type, by) => {
    const parse = jest.spyOn(JSON, 'parse');
    const entries = jest.spyOn(Object, 'fromEntries');
    expect(stated('/api', body, { 'content-type': type })?.by).toBe(by);
    expect(parse).not.toHaveBeenCalledWith(body);
    for (const { value } of entries.mock.results) expect(value).toEqual({});
    jest.restoreAllMocks();
  });

  it('reads a form of a thousand fields', () => {
    const [by, words] = ['graphql', 'query a'];
    expect(stated('/api', `${'a&'.repeat(999)}query={a}`, { 'content-type': FORM })).toEqual({ by, words });
  });

  it('does not read very large batches', () => {
    const queries = Array.from({ length: 20_000 }, () => ({ query: 'mutation{a}' }));
    expect(stated('/api', queries)).toEqual({ by: 'graphql', words: 'unreadable operation' });
  });

  it.each([
    ['/', { jsonrpc: '2.0', method: 'eth_sendTransaction', id: 1 }, 'rpc', 'eth_sendTransaction'],
    [
      '/',
      [
        { jsonrpc: '2.0', method: 'a' },
        { jsonrpc: '2.0', method: 'b' },
      ],
      'rpc',
      'a, b',
    ],
    ['/mcp', null, 'rpc', null],
    ['/xmlrpc.php', '<?xml version="1.0"?><methodCall/>', 'rpc', null],
    ['/service', '<soap:Envelope/>', 'rpc', null],
    ['/batch', [], 'batch', null],
    ['/v1/$batch', null, 'batch', null],
    ['/index/_bulk', null, 'batch', null],
    ['/customers?_method=DELETE', null, 'method_override', null],
    ['/?Action=TerminateInstances', null, 'parameter', null],
  ])('recognizes %s with %j as %s', (path, body, by, words) => {
    expect(stated(path, body)).toEqual({ by, words });
  });

  it.each([
    ['/customers', { name: 'x', query: 'shoes' }],
    ['/customers/42', { method: 'card' }],
    ['/messages/batches', {}],
    ['/search', { query: 'SELECT 1' }],
    ['/customers', 'not json'],
  ])('finds no stated operation in %s with %j', (path, body) => {
    expect(stated(path, body)).toBeNull();
  });
});
