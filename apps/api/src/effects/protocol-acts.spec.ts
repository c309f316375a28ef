import { effects, type Given } from '../../test/support/classified.js';

describe('a GraphQL mutation is a write, wherever a server may find it', () => {
  const LOOK = '/graphql?query={viewer{login}}';
  const mutation = 'mutation{deleteRepository(id:1){id}}';
  const FORM = 'application/x-www-form-urlencoded';
  it.each<[string, Given]>([
    [LOOK, { body: { Query: mutation } }],
    [LOOK, { body: [{ query: '{viewer{login}}' }, { Query: mutation }] }],
    [LOOK, { body: `query=${mutation}`, type: FORM }],
    [LOOK, { body: `operations=${JSON.stringify({ query: mutation })}`, type: FORM }],
    [LOOK, { body: `{"query":"{viewer{login}}"}\n{"query":"${mutation}"}`, type: 'application/x-ndjson' }],
    [`${LOOK}&Query=${mutation}`, {}],
    [LOOK, { body: { query: [mutation] } }],
    ['/graphql', { body: { query: `mutation{${'addStar '.repeat(1000)} deleteRepository}` } }],
  ])('POST %s', (path, given) => {
    expect(effects(`POST ${path}`, given)).toMatch(/(?:delete|unclear).* write$/);
  });

  it('and what stands beside it in a body that can not be read may be one', () => {
    expect(effects('POST /?query={viewer{login}}', { body: 'a=x&A=y', type: FORM })).toContain('write');
    expect(effects('POST /?query={viewer{login}}', { body: 'a file', type: 'text/plain' })).toContain('write');
  });
});

describe('tools', () => {
  const call = (name: string, given: object = {}): unknown => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  });

  it('annotations raise, and never lower', () => {
    const tools = [
      { id: 'get_user' },
      { id: 'list_users', annotations: { readOnlyHint: false } },
      { id: 'update_user', annotations: { readOnlyHint: true } },
    ];
    expect(effects('POST /mcp', { tools, body: call('get_user') })).toContain('read');
    expect(effects('POST /mcp', { tools, body: call('list_users') })).toContain('write');
    expect(effects('POST /mcp', { tools, body: call('update_user') })).toContain('write');
    const destructive = [{ id: 'update_user', annotations: { destructiveHint: true } }];
    expect(effects('POST /mcp', { tools: destructive, body: call('update_user') })).toContain('delete');
  });

  it('a tool that the list lacks is unclear', () => {
    expect(effects('POST /mcp', { tools: [], body: call('get_user') })).toContain('unclear write');
  });

  it.each([
    { _meta: { query: 'SELECT 1' } },
    { arguments: { code: 'DROP TABLE x', more: { query: 'SELECT 1' } } },
    { arguments: { code: 'DROP TABLE x', sql: 'SELECT 1' } },
  ])('a statement elsewhere than in a documented argument explains nothing: %j', (params) => {
    const tools = [{ id: 'execute_sql', fields: ['query', 'code'] }];
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'execute_sql', ...params } };
    expect(effects('POST /mcp', { tools, body })).toMatch(/code.* write$/);
  });

  it('the statement says what a tool that runs SQL does', () => {
    expect(effects('POST /mcp', { body: call('execute_sql', { sql: 'SELECT 1' }) })).toBe('read');
    expect(effects('POST /mcp', { body: call('execute_sql', { sql: 'TRUNCATE x' }) })).toContain('delete bulk');
  });
});

it('takes only the methods of MCP for reading, whatever they are called', () => {
  const call = (method: string): Given => ({ body: { jsonrpc: '2.0', id: 1, method } });
  for (const method of ['prompts/list', 'notifications/initialized', 'resources/templates/list'])
    expect(effects('POST /mcp', call(method))).toBe('read');
  for (const method of ['notifications/send', 'notifications/delete'])
    expect(effects('POST /rpc', call(method))).toContain('write');
});

it('takes a call beside another one for a call', () => {
  const body = [
    { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [] },
    { method: 'sendtoaddress', params: ['x', 5] },
  ];
  expect(effects('POST /', { body })).toContain('write');
});

describe('AWS', () => {
  const base = 'https://dynamodb.eu-west-1.amazonaws.com';

  it('reads the operation from its header', () => {
    const given = (target: string): Given => ({
      base,
      body: { TableName: 'x' },
      headers: { 'X-Amz-Target': `DynamoDB_20120810.${target}` },
    });
    expect(effects('POST /', given('Scan'))).toBe('read');
    expect(effects('POST /', given('DeleteItem'))).toBe('delete write');
    expect(effects('POST /', given('DeleteTable'))).toBe('delete bulk write');
  });
});
