import fc from 'fast-check';
import { classified, effects, reasons, type Given } from '../../test/support/classified.js';

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

it('never fails, and is one of read and write', () => {
  const deep = '['.repeat(3000) + ']'.repeat(3000);
  for (const body of [deep, '{', '"', '\0', `{"query":"${'{a'.repeat(5000)}"}`, '<a>'.repeat(50_000)]) {
    const found = effects('POST /graphql', { body }).split(' ');
    expect(found.filter((effect) => effect === 'read' || effect === 'write')).toHaveLength(1);
  }
});

it('quotes a request only with characters that can be stored', () => {
  const piece = fc.constantFrom(
    '\0',
    '😀',
    'a'.repeat(29),
    'é',
    'role',
    '[',
    '=',
    '&',
    '<script>',
    ' onerror="x"',
    '.',
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
  const body = fc.oneof(
    text,
    fc.tuple(text, fc.constantFrom('<script>alert(1)</script>', '@everyone', 'admin', 1)).map(([name, value]) => ({
      [name]: value,
    })),
  );
  const type = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/html', 'text/plain');
  fc.assert(
    fc.property(body, type, (given, media) => {
      for (const { reason } of classified('POST /things', { body: given, type: media }).effects) {
        expect([reason, reason.isWellFormed(), reason.includes('\0')]).toEqual([reason, true, false]);
      }
    }),
    { numRuns: 2000 },
  );
});

it('takes nothing away because of the prose of a description, or of an operation that is a guess', () => {
  const operation = { path: '/things', summary: 'Search the things' };
  expect(effects('POST /things', { operation })).toContain('read');
  expect(effects('POST /things', { operation: { ...operation, mayLower: false } })).toContain('write');
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

it('calls a write unclear whose documented operation is one of several by query or fragment', () => {
  const operation = { path: '/things?do=note', summary: 'Note a thing', mayLower: false };
  expect(effects('POST /things?do=note', { operation })).toBe('write');
  expect(effects('POST /things?do=note&do=purge', { operation })).toContain('unclear');
  expect(effects('PUT /things', { operation: { ...operation, path: '/things#note' } })).toContain('unclear');
});

it('takes a POST whose body cannot be read, or that only a parameter calls a query, for a write', () => {
  expect(effects('POST /customers/search', { body: '{"a": 1, "a": 2}' })).toContain('unclear write');
  expect(effects('POST /7?query={me}')).toContain('unclear write');
});

it.each(['application/yaml', 'application/cbor', 'text/x-yaml'])('calls a write with a body of %s unclear', (type) => {
  expect(effects('PATCH /things/7', { type, body: 'role: admin' })).toContain('unclear');
  expect(effects('POST /customers/search', { type, body: 'role: admin' })).toContain('unclear write');
});
