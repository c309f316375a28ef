import { graphqlFacts } from './graphql-operation.js';
import { requestContent } from './request-content.js';
import type { MethodStatement } from './request-methods.js';
import { rpcFacts } from './rpc-calls.js';

const request = (
  body: string | null,
  type = 'application/json',
  more: Partial<MethodStatement> = {},
): MethodStatement => ({
  method: 'POST',
  targetUrl: 'https://api.example.com/v1/things',
  headers: type === '' ? {} : { 'Content-Type': type },
  body,
  ...more,
});
const kind = (...args: Parameters<typeof request>): string => {
  const content = requestContent(request(...args));
  return content.kind === 'unreadable' ? content.reason : content.kind;
};
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';
const part = (name: string, value: string, more = ''): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

describe('requestContent', () => {
  it.each([
    [null, 'application/json', 'none'],
    ['', 'application/json', 'none'],
    ['{"a":1}', 'application/json', 'json'],
    ['{"a":1}', 'application/json; charset=utf-8', 'json'],
    ['{"a":1}', 'application/vnd.api+json; version="1"', 'json'],
    ['{"a":1}', '', 'json'],
    ['{"a":1}\n{"a":2}\n', 'application/x-ndjson', 'lines'],
    ['a=1', FORM, 'form'],
    [`${part('a', '1')}--b--\r\n`, MULTIPART, 'form'],
    [`${part('a', '1', '; filename="x"')}--b--\r\n`, MULTIPART, 'text'],
    ['<a/>', 'application/xml', 'text'],
    ['[link](https://x)', 'text/markdown', 'text'],
    ['{ viewer }', 'application/graphql', 'text'],
    ['hello', '', 'text'],
  ])('reads %j of the type %s as %s', (body, type, expected) => {
    expect(kind(body, type)).toBe(expected);
  });

  it.each([
    ['{"a":1}', 'text/plain', {}, 'it is JSON, and its content type is not'],
    ['{"a":1}', FORM, {}, 'it looks like JSON, and its content type is that of a form'],
    ['a=1', 'application/json', {}, 'it is no JSON at character 1'],
    ['{"a":1}', 'application/json, text/plain', {}, 'its content type is not a plain media type'],
    ['{"a":1}', 'json', {}, 'its content type is not a plain media type'],
    ['{"a":1}', 'application/json; charset=utf-16', {}, 'its charset is not UTF-8'],
    ['{"a":1}', 'application/json; charset=utf-8; charset=utf-7', {}, 'its content type is not a plain media type'],
    ['a=1', `${FORM}; charset=iso-8859-1`, {}, 'its charset is not UTF-8'],
    [
      '{"a":1}',
      'application/json',
      { headers: { 'content-type': 'application/json', 'Content-Encoding': 'gzip' } },
      'its content coding was not undone',
    ],
    ['a=1', FORM, { rawBody: '\x1f\x8b' }, 'a form has a content coding'],
    ['{"a":1}', 'application/json', { binaryBytes: 7 }, 'it is not UTF-8 text'],
    [`"${'a'.repeat(1024 * 1024)}"`, 'application/json', {}, 'it has more than 1 MB'],
    ['{"a":1}\n{"a":1,"a":2}', 'application/x-ndjson', {}, 'line 2: it has the key "a" twice'],
    [`${part('a', '1')}${part('A', '2')}--b--\r\n`, MULTIPART, {}, 'some servers take "a" and "A" for one field'],
    [`${part('a', '1')}`, MULTIPART, {}, 'body: is not valid multipart/form-data: its end is missing'],
    ['x', 'multipart/mixed; boundary=b', {}, 'its parts are not those of a form'],
  ] as [string, string, Partial<MethodStatement>, string][])(
    'does not read %j of the type %s',
    (body, type, more, why) => {
      expect(kind(body, type, more)).toBe(why);
    },
  );

  it('reads decoded JSON, because servers that do not decode it find none', () => {
    expect(kind('{"a":1}', 'application/json', { rawBody: '\x1f\x8b' })).toBe('json');
  });

  it('reads a body once', () => {
    const one = request('{"a":1}');
    expect(requestContent(one)).toBe(requestContent(one));
  });
});

describe('graphqlFacts', () => {
  const facts = (body: string | null, type?: string, more: Partial<MethodStatement> = {}): unknown =>
    graphqlFacts(request(body, type, more));
  const at = (path: string): Partial<MethodStatement> => ({ targetUrl: `https://api.example.com${path}` });
  const DELETE = 'mutation Clean { gone: deleteRepository(id: 1) { id } ...F } fragment F on Mutation { addStar }';

  it('counts all operations, with fragments and without aliases', () => {
    const query = `${DELETE} query Look { viewer { id } }`;
    const expected = { type: 'mutation', names: ['Clean', 'Look'], fields: ['deleteRepository', 'addStar', 'viewer'] };
    expect(facts(JSON.stringify({ query, operationName: 'Look' }))).toEqual(expected);
    expect(facts(JSON.stringify([{ query: '{ viewer { id } }' }, { query }]))).toMatchObject({ type: 'mutation' });
    expect(facts(JSON.stringify({ Query: query }))).toEqual(expected);
    expect(facts(query, 'application/graphql')).toEqual(expected);
    expect(facts(null, '', at(`/graphql?query=${encodeURIComponent(query)}`))).toEqual(expected);
    expect(facts(`query=${encodeURIComponent(query)}`, FORM)).toEqual(expected);
    expect(facts(`${part('operations', JSON.stringify({ query }))}--b--\r\n`, MULTIPART, at('/graphql'))).toEqual(
      expected,
    );
  });

  it.each([
    ['{"query":"shoes"}', '/search'],
    ['{"a":1}', '/things'],
    [null, '/things'],
    ['{"query":{"match":{}}}', '/_search'],
  ])('finds none in %j at %s', (body, path) => {
    expect(facts(body, 'application/json', at(path))).toBeNull();
  });

  it.each([
    ['{"query":"mutation {"}', '/things'],
    ['{"query":"{a}","query":"mutation{b}"}', '/things'],
    ['{"query":["mutation{b}"]}', '/things'],
    ['{"extensions":{"persistedQuery":{}}}', '/graphql'],
    ['[{"query":"{a}"},{"id":"x"}]', '/api/graphql.php'],
    [null, '/gql'],
    ['{"query":"shoes"}', '/graphql'],
    [`{"query":"${'{a}'.repeat(70_000)}"}`, '/things'],
    ['{"\\u0071uery":"mutation{b}","a":1,"a":1}', '/things'],
  ])('can not read %j at %s', (body, path) => {
    expect(facts(body, 'application/json', at(path))).toBe('undecidable');
  });
});

describe('rpcFacts', () => {
  const facts = (body: string, type?: string): unknown => rpcFacts(request(body, type));
  const call = (method: string, params?: unknown): object => ({ jsonrpc: '2.0', id: 1, method, params });

  it('lists all calls, with their tools', () => {
    const credit = call('tools/call', { name: 'issue_credit', arguments: { amount: 500 } });
    expect(facts(JSON.stringify([credit, call('ping')]))).toEqual({
      methods: ['tools/call', 'ping'],
      tools: ['issue_credit'],
      calls: [
        expect.objectContaining({ method: 'tools/call', tool: 'issue_credit' }),
        { method: 'ping', params: null, tool: null, arguments: null },
      ],
    });
    expect(facts(JSON.stringify({ method: 'a', params: [], id: 1 }))).toMatchObject({ methods: ['a'] });
    expect(facts(JSON.stringify({ JSONRPC: '2.0', Method: 'a' }))).toMatchObject({ methods: ['a'] });
    expect(facts(`${JSON.stringify(call('a'))}\n${JSON.stringify(call('b'))}`, 'application/x-ndjson')).toMatchObject({
      methods: ['a', 'b'],
    });
  });

  it('takes every named method for a call beside a call, and at an endpoint for calls', () => {
    const pay = { method: 'sendtoaddress', params: ['x', 5] };
    const both = { methods: ['eth_getBalance', 'sendtoaddress'] };
    expect(facts(JSON.stringify([call('eth_getBalance'), pay]))).toMatchObject(both);
    expect(facts(JSON.stringify([call('eth_getBalance'), { Method: 'sendtoaddress' }]))).toMatchObject(both);
    expect(facts(JSON.stringify([{ jsonrpc: '2.0', id: 1, result: {} }, pay]))).toMatchObject({
      methods: ['sendtoaddress'],
    });
    expect(facts(JSON.stringify([call('a'), { method: 5 }]))).toBe('undecidable');
    const at = { targetUrl: 'https://api.example.com/rpc' };
    expect(rpcFacts(request(JSON.stringify(pay), 'application/json', at))).toMatchObject({
      methods: ['sendtoaddress'],
    });
  });

  it.each(['{"method":"card"}', '{"jsonrpc":"2.0","id":1,"result":{}}', '[]', '"x"'])('finds none in %s', (body) => {
    expect(facts(body)).toBeNull();
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"a"',
    '{"jsonrpc":"2.0","method":"a","method":"b"}',
    '{"\\u006asonrpc":"2.0","method":"a","Method":"b"}',
    '{"jsonrpc":"2.0","method":["a"]}',
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":1}}',
    '{"jsonrpc":"2.0","method":"tools/call"}',
    '{"jsonrpc":"2.0","method":"a"} x',
  ])('can not read %s', (body) => {
    expect(facts(body)).toBe('undecidable');
  });
});
