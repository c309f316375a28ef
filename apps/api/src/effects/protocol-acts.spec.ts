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

  it.each([
    call('delete_user'),
    { method: 'tools/call', params: { name: 'delete_user' } },
    { Method: 'tools/call', Params: { Name: 'delete_user' } },
    [[{ method: 'tools/call', params: { name: 'delete_user' } }]],
    [[[call('get_user')], [call('delete_user')]]],
    { jsonrpc: '2.0', id: 1, method: 'system.multicall', params: [[{ methodName: 'deleteUser', params: [] }]] },
    { jsonrpc: '2.0', id: 1, method: 'system.multicall', params: { calls: [{ method: 'deleteUser' }] } },
  ])('are called wherever a server may find the call: %j', (body) => {
    for (const path of ['/mcp', '/', '/servers/5'])
      expect(effects(`POST ${path}`, { body })).toMatch(/^delete.* write$/);
  });

  it('add their effects to those of the documented operation, and take none away', () => {
    const refund = { path: '/orders/{id}/reversal', summary: 'Refund an order' };
    const search = { path: '/orders/search', summary: 'Search orders' };
    const tools = [{ id: 'get_user' }, { id: 'delete_user' }];
    const of = (path: string, operation: object, name: string): string =>
      effects(`POST ${path}`, { operation, tools, body: call(name) });
    expect(of('/orders/5/reversal', refund, 'get_user')).toMatch(/money.* write$/);
    expect(of('/orders/5/reversal', refund, 'delete_user')).toMatch(/^delete.*money.* write$/);
    expect(of('/orders/search', search, 'delete_user')).toMatch(/^delete.* write$/);
    expect(of('/mcp', { path: '/mcp', summary: 'Send a message' }, 'get_user')).toMatch(/ read$/);
  });

  it('make no dry run of a documented one', () => {
    const operation = { path: '/orders', summary: 'Create an order', fields: ['dry_run'] };
    const body = { ...(call('delete_user') as object), dry_run: true };
    expect(effects('POST /orders', { operation, body })).toMatch(/^delete.* write$/);
  });

  it('the statement says what a tool that runs SQL does', () => {
    expect(effects('POST /mcp', { body: call('execute_sql', { sql: 'SELECT 1' }) })).toBe('read');
    expect(effects('POST /mcp', { body: call('execute_sql', { sql: 'TRUNCATE x' }) })).toContain('delete bulk');
  });
});

describe('a tool that runs SQL', () => {
  const tools = [{ id: 'execute_sql', fields: ['query', 'setup', 'args', 'where', 'description'] }];
  const run = (given: object): Given => ({
    tools,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'execute_sql', arguments: given } },
  });

  it.each([
    { setup: 'DROP TABLE users' },
    { args: ['x', { more: 'DELETE FROM users' }] },
    { where: '1 = 1; DROP TABLE users' },
    { unknown: 'ATTACH DATABASE x' },
  ])('runs each statement in its arguments: %j', (more) => {
    expect(effects('POST /mcp', run({ query: 'SELECT 1', ...more }))).toContain('write');
    expect(effects('POST /mcp', { ...run({ query: 'SELECT 1', ...more }), tools: undefined })).toContain('write');
  });

  it('reads if nothing but texts of people stands beside its statement', () => {
    const more = { description: 'Delete from the report what is old', setup: 'main', args: ['a', 5] };
    expect(effects('POST /mcp', run({ query: 'SELECT 1', ...more }))).toBe('read');
  });

  it('reads nothing if its arguments have more than was read', () => {
    const many = Object.fromEntries(Array.from({ length: 6000 }, (_, at) => [`a${at}`, at]));
    expect(effects('POST /mcp', run({ query: 'SELECT 1', ...many, sql: 'CREATE TABLE x (y int)' }))).toContain('write');
    expect(effects('POST /sql', { body: { query: 'SELECT 1', ...many, sql: 'CREATE TABLE x (y int)' } })).toContain(
      'write',
    );
  });

  it('as an endpoint runs each statement in its fields', () => {
    for (const body of [
      { query: 'SELECT 1', setup: 'DROP TABLE x' },
      { query: 'SELECT 1', more: [['DROP TABLE x']] },
    ])
      expect(effects('POST /sql', { body })).toMatch(/^delete.* write$/);
  });
});

describe('a call that names what it calls in its parameters', () => {
  const execute = (...args: unknown[]): Given => ({
    body: { jsonrpc: '2.0', id: 1, method: 'call', params: { service: 'object', method: 'execute_kw', args } },
  });
  const call = (params: unknown, method = 'call'): Given => ({ body: { jsonrpc: '2.0', id: 1, method, params } });

  it('reads if the name at its place does', () => {
    expect(effects('POST /jsonrpc', execute('db', 2, 'pw', 'sale.order', 'search_read', [[]]))).toBe('read');
    expect(effects('POST /jsonrpc', call({ model: 'sale.order', method: 'search_read', args: [] }, 'call_kw'))).toBe(
      'read',
    );
  });

  it.each([
    execute('search', 2, 'pw', 'sale.order', 'frobnicate', []),
    execute('db', 2, 'search', 'sale.order', 'frobnicate', 'read', 'dry_run'),
    execute('db', 2, 'pw', 'sale.order', 'frobnicate', 'search'),
    execute('db', 'read', 'pw', 'sale.order', 'search'),
    call({ model: 'sale.order', method: 'frobnicate', args: ['search', 'dry_run'] }),
    call(['search', 'list', 'read']),
    call({ args: ['dry_run', 'search'] }, 'run_method'),
    execute('run_query', 2, 'pw', 'sale.order', 'frobnicate', { query: 'SELECT 1' }),
  ])('reads by no other text: %j', (given) => {
    expect(effects('POST /jsonrpc', given)).toMatch(/unclear write$/);
  });

  it.each([
    execute('db', 2, 'update', 'sale.order', 'unlink', [[5]]),
    execute('create', 2, 'write', 'sale.order', 'unlink', [[5]]),
    call({ model: 'sale.order', method: 'search', args: ['unlink'] }),
    call({ model: 'sale.order', method: 'write', args: ['update', 'unlink'] }, 'execute'),
  ])('acts by each of its names: %j', (given) => {
    expect(effects('POST /jsonrpc', given)).toMatch(/^delete.* write$/);
  });
});

describe('XML-RPC', () => {
  const xml = (text: string): Given => ({ type: 'text/xml', body: `<?xml version="1.0"?>${text}` });

  it.each([
    '<methodCall><methodName>wp.deletePost</methodName><params/></methodCall>',
    '<methodCall><methodName>system.multicall</methodName><params><param><value><array><data><value><struct>' +
      '<member><name>methodName</name><value><string>wp.deletePost</string></value></member>' +
      '</struct></value></data></array></value></param></params></methodCall>',
    '<methodCall><methodName>system.multicall</methodName><params><param><value><struct><member>\n' +
      '<name>methodName</name>\n<value>wp.deletePost</value></member></struct></value></param></params></methodCall>',
  ])('has the effects of its methods: %.60s', (text) => {
    expect(effects('POST /xmlrpc.php', xml(text))).toMatch(/^delete.* write$/);
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
