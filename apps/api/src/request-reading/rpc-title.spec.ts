import fc from 'fast-check';
import { describeRequest } from './request-summary.js';
import { rpcFacts } from './rpc-calls.js';
import { statedOperation } from './stated-operation.js';

const BASE = 'https://api.example.com/v1';

function title(
  body: unknown,
  path = '/mcp',
  { name = 'Shop', fields = [] as string[], method = 'POST' as const } = {},
) {
  const targetUrl = BASE + path;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = { method, targetUrl, headers: {}, body: text };
  const facts = { tags: [], deprecated: false, queryParameters: [], fields };
  const operation = fields.length === 0 ? null : { path: '', summary: 'What the server says', facts };
  const service = { name, baseUrl: BASE };
  return describeRequest(method, new URL(targetUrl), service, operation, statedOperation(request), rpcFacts(request));
}
const tool = (name: string, given?: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});
const rpc = (method: string) => ({ jsonrpc: '2.0', id: 1, method });

describe('the title of JSON-RPC', () => {
  it.each<[unknown, string]>([
    [tool('issue_credit', { amount: 7, customer_id: 'cus_42' }), 'issue_credit · cus_42 · on Shop'],
    [tool('get_issue', { owner: 'acme', repo: 'api', issue_number: 7 }), 'get_issue · acme/api/7 · on Shop'],
    [tool('run', { query: 'DROP TABLE orders' }), 'run · “DROP TABLE orders” · on Shop'],
    [tool('list', { all: true, filter: {} }), 'list · on Shop'],
    [tool('ping'), 'ping · on Shop'],
    [tool('connect', { api_key: 'abc', password: 'def', host: 'db-1' }), 'connect · db-1 · on Shop'],
    [rpc('eth_call'), 'eth_call · on Shop'],
    [[rpc('ping'), tool('issue_credit', { id: 7 })], '2 calls: ping, issue_credit · on Shop'],
    [tool('a · on Bank', { id: 'b · c' }), '“a · on Bank” · “b · c” · on Shop'],
    [tool('refund\u202e', { id: '7\u200b8' }), 'refund · 78 · on Shop'],
  ])('of %j is %s', (body, expected) => {
    expect(title(body)).toBe(expected);
  });

  it('names by arguments that the tool documents', () => {
    const body = tool('close', { id: 'harmless', issue: 7 });
    expect(title(body, '/mcp', { fields: ['issue'] })).toBe('close · 7 · on Shop');
    expect(title(body)).toBe('close · harmless/7 · on Shop');
  });

  it('has method and path where the API may not read the calls', () => {
    expect(title(tool('ping'), '/customers/42/refund')).toBe('POST refund of customer 42: tools/call');
    expect(title(tool('ping'), '/customers%2Fmcp')).toMatch(/^POST /);
    expect(title(`{"jsonrpc": "2.0", "method": "a", "method": "b"}`)).toBe('POST mcp: unreadable operation');
    expect(title(`{"jsonrpc": "2.0", "method": "tools/call", "params": {}}`)).toBe('POST mcp: tools/call');
    expect(title({ query: 'mutation { a }', ...rpc('ping') })).toBe('POST mcp: mutation a');
  });

  it('is one line of at most 120 characters, whatever the calls and the service are named', () => {
    const names = fc.string({ unit: 'binary', maxLength: 300 });
    const given = fc.dictionary(names, fc.oneof(names, fc.integer()), { maxKeys: 5 });
    const calls = fc.array(fc.record({ name: names, given }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(calls, names, (called, name) => {
        const bodies = called.map((each) => tool(each.name, each.given));
        const text = title(bodies.length === 1 ? bodies[0] : bodies, '/mcp', { name });
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(Array.from(text).length).toBeLessThanOrEqual(120);
      }),
    );
  });
});

describe('rpcFacts', () => {
  const facts = (body: string | null) => rpcFacts({ method: 'POST', targetUrl: `${BASE}/mcp`, headers: {}, body });

  it('has all calls of a body', () => {
    expect(facts(JSON.stringify([tool('ping', { a: 1 }), rpc('x')]))).toEqual({
      calls: [
        { method: 'tools/call', params: { name: 'ping', arguments: { a: 1n } }, tool: 'ping', arguments: { a: 1n } },
        { method: 'x', params: null, tool: null, arguments: null },
      ],
      methods: ['tools/call', 'x'],
      tools: ['ping'],
    });
    for (const body of [null, '', 'text', '{"a": {"jsonrpc": "2.0"}}']) expect(facts(body)).toBeNull();
  });

  it.each([
    '{"jsonrpc": "2.0", "method": "x"',
    '{"jsonrpc": "2.0", "method": "x", "method": "y"}',
    '{"jsonrpc": "2.0", "method": 7}',
    '{"jsonrpc": "2.0", "method": "tools/call"}',
    '{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "a", "Name": "b"}}',
    `{"jsonrpc": "2.0", "method": "x", "a": "${'x'.repeat(1_100_000)}"}`,
  ])('is undecidable for %.80s', (body) => {
    expect(facts(body)).toBe('undecidable');
  });
});
