import type { HttpMethod } from '#contracts';
import { classify } from './classify.js';
import type { DescribedOperation } from './described-operation.js';

const BASE = 'https://api.example.com/v1';

interface Given {
  operation?: Partial<DescribedOperation>;
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
  tools?: Partial<DescribedOperation>[];
  base?: string;
}

const described = (operation: Partial<DescribedOperation>): DescribedOperation => ({
  id: null,
  method: 'POST',
  path: '',
  summary: '',
  tags: [],
  deprecated: false,
  queryParameters: [],
  fields: [],
  annotations: null,
  mayLower: true,
  ...operation,
});

function reasons(
  line: string,
  { operation, body, type = 'application/json', headers, tools, base = BASE }: Given = {},
) {
  const [method, path] = line.split(' ');
  const request = {
    method: method as HttpMethod,
    targetUrl: `${base}${path}`,
    headers: { 'Content-Type': type, ...headers },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  };
  const known = tools ? new Map(tools.map((tool) => [tool.id!, described(tool)])) : null;
  return classify(request, base, operation ? described({ method, ...operation }) : null, known);
}

const effects = (line: string, given?: Given): string =>
  reasons(line, given)
    .map(({ effect }) => effect)
    .join(' ');

it('gives a reason that an approver understands', () => {
  const operation = { id: 'createRefund', path: '/orders/{id}/refunds', summary: 'Refund an order' };
  expect(reasons('POST /orders/7/refunds', { operation, body: { amount: 50 } })).toEqual([
    { effect: 'money', reason: 'the operation "Refund an order" moves, promises or prices money' },
    { effect: 'write', reason: 'the operation "Refund an order" changes something' },
  ]);
});

describe('a POST that only reads is a read', () => {
  it.each<[string, Given]>([
    ['POST /customers/search', {}],
    ['POST /logs/_search', { body: { query: { match_all: {} } } }],
    ['POST /monitors/validate', {}],
    ['POST /views/preview', { operation: { path: '/views/preview', summary: 'Preview a view', id: 'previewViews' } }],
    ['POST /files/presign', { operation: { path: '/files/presign', summary: 'Presign a URL' } }],
    ['POST /me/getSchedule', { operation: { path: '/me/getSchedule', id: 'me.calendar.getSchedule' } }],
    ['POST /sql', { body: { query: "SELECT 'DROP TABLE x' -- DELETE FROM y\nFROM z" } }],
    ['POST /graphql', { body: { query: 'query deleteAll { issues { id } }' } }],
    ['POST /mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }],
    [
      'POST /batch',
      {
        body: {
          requests: [
            { method: 'GET', url: '/me' },
            { method: 'POST', url: '/users/search', body: {} },
          ],
        },
      },
    ],
  ])('%s', (line, given) => {
    expect(effects(line, given).split(' ')).toContain('read');
  });
});

describe('a GET that acts is a write', () => {
  it.each([
    ['GET /job/release/build', 'code write'],
    ['GET /snapshots-delete/q7Lw2', 'delete write'],
    ['GET /page?action=delete&id=7', 'delete write'],
    ['GET /auth.revoke', 'permissions write'],
  ])('%s', (line, expected) => {
    expect(effects(line)).toContain(expected);
  });

  it('and one that returns secrets or exports has these effects', () => {
    expect(effects('GET /apps/7/credentials/secrets')).toBe('credentials read');
    expect(effects('GET /contacts/export')).toContain('bulk');
    expect(effects('GET /files/7/export', { operation: { path: '/files/{id}/export' } })).toBe('read');
  });
});

describe('small everyday writes are only writes', () => {
  it.each<[string, Given]>([
    ['PUT /threads/7/mark_as_read', { operation: { path: '/threads/{id}/mark_as_read', summary: 'Mark as read' } }],
    [
      'DELETE /contacts/1/tags/2',
      { operation: { path: '/contacts/{id}/tags/{tag}', summary: 'Remove a tag from a contact' } },
    ],
    [
      'POST /issues/7/comments',
      { operation: { path: '/issues/{id}/comments', summary: 'Add a comment' }, body: { body: 'Delete the password' } },
    ],
    [
      'PATCH /keys/7',
      { operation: { path: '/keys/{id}', summary: 'Update a key', fields: ['name'] }, body: { name: 'old' } },
    ],
  ])('%s', (line, given) => {
    expect(effects(line, given)).toBe('write');
  });
});

describe('what is dangerous is named', () => {
  it.each<[string, Given, string]>([
    ['PATCH /databases/7', { body: { archived: true } }, 'delete bulk write'],
    ['POST /contacts/delete', { body: { filter: {} } }, 'delete bulk'],
    [
      'PATCH /repos/7',
      { operation: { path: '/repos/{id}' }, body: { visibility: 'public' } },
      'permissions publishing',
    ],
    ['PATCH /products/7', { operation: { path: '/products/{id}' }, body: { price: 5 } }, 'money'],
    ['PATCH /git/refs/main', { operation: { path: '/git/refs/{ref}' }, body: { force: true } }, 'delete'],
    ['DELETE /tags/7', { operation: { path: '/tags/{id}', summary: 'Delete a tag' } }, 'delete bulk'],
    ['POST /webhooks', { operation: { path: '/webhooks', summary: 'Create a webhook' } }, 'credentials'],
    [
      'POST /queries',
      { operation: { path: '/queries', fields: ['sql'] }, body: { sql: 'select 1; drop table x' } },
      'delete bulk',
    ],
    [
      'POST /graphql',
      {
        body: {
          query: 'query A { a } mutation B { x: ...F } fragment F on M { deleteUser(id: 1) { id } }',
          operationName: 'A',
        },
      },
      'unclear',
    ],
    ['POST /graphql', { body: { query: 'mutation { read: deleteRepository(id: 1) { id } }' } }, 'delete bulk'],
    [
      'POST /batch',
      {
        body: {
          requests: [
            { method: 'GET', path: '/a' },
            { method: 'DELETE', path: '/lists/1' },
          ],
        },
      },
      'delete bulk',
    ],
    ['POST /notes', { body: '{"a": 1, "A": 2}' }, 'unclear'],
  ])('%s', (line, given, expected) => {
    expect(effects(line, given)).toContain(expected);
  });
});

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

describe('only a documented dry run changes nothing', () => {
  const operation = { path: '/volumes/{id}', method: 'DELETE', summary: 'Delete a volume' };

  it('a documented one is a read', () => {
    expect(
      effects('DELETE /volumes/7?dry_run=true', { operation: { ...operation, queryParameters: ['dry_run'] } }),
    ).toBe('read');
  });

  it.each(['?dry_run=true', '?dry_run=false', '?dry_run=true&dry_run=false', '?Dry-Run=true'])(
    '%s is none',
    (query) => {
      const documented = query === '?dry_run=true' ? [] : ['dry_run'];
      expect(
        effects(`DELETE /volumes/7${query}`, { operation: { ...operation, queryParameters: documented } }),
      ).toContain('delete');
    },
  );
});

describe('a dry run in doubt is none', () => {
  const volume = { path: '/volumes/{id}', summary: 'Delete a volume' };
  const inQuery = { ...volume, queryParameters: ['dryRun'] };
  const inBody = { ...volume, fields: ['dryRun', 'x', 'preview', 'test', 'dry_run'] };
  const FORM = 'application/x-www-form-urlencoded';

  it('one that is plain is a dry run', () => {
    expect(effects('DELETE /volumes/7', { operation: inBody, body: { dryRun: true } })).toBe('read');
    expect(effects('DELETE /volumes/7', { operation: inBody, body: 'dryRun=true', type: FORM })).toBe('read');
    expect(effects('DELETE /volumes/7?dryRun=true', { operation: inQuery, body: { force: true } })).toBe('read');
    expect(effects('DELETE /volumes/7?dryRun=All', { operation: inQuery })).toBe('read');
  });

  it.each<[string, Given]>([
    ['', { operation: inQuery, body: { dryRun: true } }],
    ['?dryRun=true', { operation: inBody }],
    ['?dryRun=true', { operation: inQuery, body: { dryRun: false } }],
    ['', { operation: inBody, body: '{"dryRun":true,"dry\\u0052un":false}' }],
    ['', { operation: inBody, body: '{"dryRun":true,"dryrun":false}' }],
    ['', { operation: inBody, body: { dryRun: true, dry_run: false } }],
    ['', { operation: inBody, body: '{"x":{"dryRun":true},"a":1,"a":2}' }],
    ['', { operation: inBody, body: { x: { dryRun: true } } }],
    ['', { operation: inBody, body: [{ dryRun: true }] }],
    ['', { operation: inBody, body: { preview: true, test: true } }],
    ['', { operation: inBody, body: 'dryRun=true&dryRun[]=false', type: FORM }],
    ['', { operation: inBody, body: 'dryRun=true&dry.run=false', type: FORM }],
    ['?dryRun=true&DRYRUN=false', { operation: inQuery }],
    ['?dryRun=true&a=1;dryRun=false', { operation: inQuery }],
    ['?dryRun=true&_method=PUT', { operation: inQuery }],
    ['?dryRun=true', { operation: inQuery, body: '{"a":1,"a":2}' }],
    ['?dryRun=yes', { operation: inQuery }],
  ])('%s %j', (query, given) => {
    expect(effects(`DELETE /volumes/7${query}`, given)).toContain('delete');
  });
});

describe('no text makes a request milder', () => {
  it.each<[string, Given, string]>([
    ['DELETE /customers/search', {}, 'delete'],
    // Some proxies decode the path and cut it.
    ['POST /orders%23/search', {}, 'write'],
    ['POST /orders%00/search', {}, 'write'],
    ['POST /search/orders%252f..;/x%3f/list', {}, 'write'],
    ['POST /customers/search', { operation: { path: '/customers/{id}', summary: 'Update a customer' } }, 'write'],
    ['POST /orders/7/refund/preview', {}, 'money'],
    ['POST /refunds', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }, 'money write'],
    ['POST /refunds', { body: { query: '{ a }' } }, 'money write'],
    ['POST /refunds', { headers: { 'X-Amz-Target': 'X.ListTables' } }, 'money write'],
    ['POST /refunds', { body: { requests: [{ method: 'GET', url: '/me' }] } }, 'money write'],
    ['DELETE /comments/7', {}, 'delete'],
    ['POST /_sql', { body: { query: "select '\\'; drop table x; --'" } }, 'delete'],
    ['POST /_sql', { body: { query: 'select 1 /* /* */ ; drop table x; /* */ */' } }, 'write'],
  ])('%s', (line, given, expected) => {
    expect(effects(line, given)).toContain(expected);
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

it.each([{ path: '/lists/1/delete' }, { httpMethod: 'DELETE' }, { body: {}, data: { role: 'admin' } }])(
  'a request of a batch that servers may read in two ways is unclear: %j',
  (more) => {
    const body = { requests: [{ method: 'POST', url: '/users/search', ...more }] };
    expect(effects('POST /batch', { body })).toMatch(/unclear write$/);
  },
);

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

it('never fails, and is one of read and write', () => {
  const deep = '['.repeat(3000) + ']'.repeat(3000);
  for (const body of [deep, '{', '"', '\0', `{"query":"${'{a'.repeat(5000)}"}`, '<a>'.repeat(50_000)]) {
    const found = effects('POST /graphql', { body }).split(' ');
    expect(found.filter((effect) => effect === 'read' || effect === 'write')).toHaveLength(1);
  }
});

it('takes nothing away because of the prose of a description, or of an operation that is a guess', () => {
  const operation = { path: '/things', summary: 'Search the things' };
  expect(effects('POST /things', { operation })).toContain('read');
  expect(effects('POST /things', { operation: { ...operation, mayLower: false } })).toContain('write');
});

describe('SQL', () => {
  it.each([
    'COMMIT; DROP SCHEMA public CASCADE',
    "UPDATE users u SET role='admin'",
    'DELETE u FROM users u',
    'REPLACE users VALUES (1)',
    '/*!50000 DROP TABLE users */',
    'SELECT 1 /*M! ; DELETE FROM users */',
    `/*${'a'.repeat(2000)}*/ DROP TABLE users`,
    `select ${'a,'.repeat(1000)}b from t; drop table users`,
    'USE master RESTORE DATABASE prod',
    'MATCH (n) DETACH DELETE n',
    'EXPLAIN ANALYSE DELETE FROM users',
    "SELECT length(E'\\'') # 1; DELETE FROM users; --'",
    'SELECT 1 # 2 AS a$$; DELETE FROM users; SELECT 1 AS b$$',
    "SELECT 1 AS [']; DELETE FROM users; SELECT 1 AS [']",
    `SELECT "pg_read_file"('/etc/passwd')`,
    "SELECT cron.schedule('x', '* * * * *', 'DELETE FROM users')",
  ])('that may act is no reading: %.60s', (sql) => {
    expect(effects('POST /query', { body: { sql } })).toContain('write');
    expect(effects('POST /query', { body: { sql, q: 'select 1 from t' } })).toContain('write');
    expect(effects('POST /query', { body: { sql: [[sql]] } })).toContain('write');
  });

  it.each(['SELECT id, count(*) FROM orders GROUP BY id', 'WITH x AS (SELECT 1) SELECT max(id) FROM x'])(
    'that only selects is one: %s',
    (sql) => {
      expect(effects('POST /query', { body: { sql } })).toBe('read');
    },
  );
});

it('reads a path in lower case too, as servers that fold it do', () => {
  expect(effects('GET /job/x/bUild')).toContain('code');
  expect(effects('GET /users/7/dElete')).toContain('delete');
});

it('does not take the words behind a script or the endpoint of a protocol for an act', () => {
  expect(effects('POST /customers/search')).toContain('read');
  for (const path of ['/xmlrpc.php/list', '/users.php/search', '/graphql/list', '/index.php/search']) {
    expect(effects(`POST ${path}`, { body: { id: 1 } })).toContain('write');
  }
  expect(effects('PUT /my-bucket?a&b&c&policy', { body: {} })).toContain('permissions');
});

it('reads the fields of a form that also has a file', () => {
  const part = (head: string, value: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
  const body = `${part('name="role"', 'admin')}${part('name="f"; filename="a.txt"', 'x')}--b--\r\n`;
  const type = 'multipart/form-data; boundary=b';
  expect(effects('POST /things', { body, type })).toContain('permissions');
});

it('takes nothing away by a name beside something else', () => {
  expect(effects('PATCH /roles/7', { body: { name: 'a' } })).toBe('write');
  expect(effects('PATCH /roles/7', { body: { name: 'a', permissions: {} } })).toContain('permissions');
  expect(effects('PATCH /firewall_rules/7?source=0.0.0.0/0', { body: { name: 'a' } })).toContain('permissions');
});
