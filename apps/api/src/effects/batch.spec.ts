import { effects, reasons, type Given } from '../../test/support/classified.js';

it.each([{ path: '/lists/1/delete' }, { httpMethod: 'DELETE' }, { body: {}, data: { role: 'admin' } }])(
  'a request of a batch that servers may read in two ways is unclear: %j',
  (more) => {
    const body = { requests: [{ method: 'POST', url: '/users/search', ...more }] };
    expect(effects('POST /batch', { body })).toMatch(/unclear write$/);
  },
);

const FORM = 'application/x-www-form-urlencoded';
const MIXED = 'multipart/mixed; boundary=b';
const mixed = (...requests: string[]): Given => ({
  type: MIXED,
  body: [...requests.map((each) => `--b\r\nContent-Type: application/http\r\n\r\n${each}\r\n`), '--b--\r\n'].join(''),
});
const list = [{ method: 'DELETE', url: '/users/5' }];

describe('a deletion in a batch is one', () => {
  it.each<[string, object]>([
    ['by another name of the method', { verb: 'DELETE', url: '/users/5' }],
    ['by _method', { _method: 'DELETE', url: '/users/5' }],
    ['by http_method', { http_method: 'delete', path: '/users/5' }],
    ['by names in other letters', { Method: 'DELETE', URL: '/users/5' }],
    ['with blanks around the method', { method: ' DELETE ', url: '/users/5' }],
    ['by a method that nobody knows', { method: 'PURGE', url: '/users/5' }],
    ['by a header', { method: 'POST', url: '/users/5', headers: { 'X-HTTP-Method-Override': 'DELETE' } }],
    [
      'by a header in a list',
      { method: 'POST', url: '/users/5', headers: [{ name: 'x-http-method', value: 'DELETE' }] },
    ],
    ['by a header in a line', { method: 'POST', url: '/users/5', headers: ['X-Method-Override: DELETE'] }],
    ['by a header alone', { url: '/users/5', headers: { 'X-HTTP-Method-Override': 'DELETE' } }],
    ['by its query', { method: 'POST', url: '/users/5?_method=DELETE' }],
    ['by its body', { method: 'POST', url: '/users/5', body: { _method: 'DELETE' } }],
    ['by a form in its body', { method: 'POST', relative_url: 'users/5', body: '_method=DELETE' }],

    ['in the end of a path with dots', { method: 'POST', url: '/users/5/x/../delete' }],
    ['in a path with encoded dots', { method: 'POST', url: '/users/5/x/%2e%2e/%64elete' }],
    ['in a path with empty segments', { method: 'POST', url: '//users//5/./delete//' }],
    ['in a path in other letters', { method: 'POST', url: '/USERS/5/DELETE' }],
    ['in a whole URL', { method: 'POST', url: 'HTTPS://api.example.com/users/5/delete?x=1#y' }],
    ['in a path that is cut', { method: 'POST', url: '/users/5/delete;x' }],
    ['as JSON-RPC', { method: 'POST', url: '/rpc', body: { jsonrpc: '2.0', id: 1, method: 'deleteUser' } }],
    ['as GraphQL', { method: 'POST', url: '/graphql', body: { query: 'mutation{deleteUser(id:1){id}}' } }],
  ])('%s', (_where, part) => {
    // The field with the method says nothing of accounts.
    expect(effects('POST /batch', { body: { requests: [part] } })).toMatch(/^delete.*permissions/);
    expect(effects('POST /batch', { body: [[part]] })).toMatch(/^delete.*permissions/);
  });

  it.each<[string, string, Given]>([
    ['in lists in lists', '/batch', { body: { requests: [[list]] } }],
    ['under names', '/batch', { body: { requests: { one: list[0] } } }],
    ['in an object of its own', '/batch', { body: { requests: [{ id: 1, request: list[0] }] } }],
    ['in lines', '/batch', { body: JSON.stringify(list[0]), type: 'application/x-ndjson' }],
    ['in a text', '/batch', { body: { batch: JSON.stringify(list) } }],
    ['in a parameter', `/?batch=${encodeURIComponent(JSON.stringify(list))}`, {}],
    ['in a form', '/', { type: FORM, body: `batch=${encodeURIComponent(JSON.stringify([list]))}` }],
    [
      'in a form with files',
      '/',
      {
        type: 'multipart/form-data; boundary=b',
        body:
          `--b\r\nContent-Disposition: form-data; name="batch"\r\n\r\n${JSON.stringify(list)}\r\n` +
          '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\ntext\r\n--b--\r\n',
      },
    ],
    ['in JSON that can not be read', '/batch', { body: `{"a":1,"A":2,"requests":${JSON.stringify(list)}}` }],
    ['in a part of application/http', '/$batch', mixed('DELETE /users/5 HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['without a version', '/batch', mixed('GET /me', 'delete /users/5\n\n')],
    ['in its header', '/$batch', mixed('POST /users/5 HTTP/1.1\r\nX-HTTP-Method: DELETE\r\n\r\n{}')],
    ['in its body', '/$batch', mixed('POST /graphql\r\n\r\n{"query":"mutation{deleteUser(id:1){id}}"}')],
    [
      'in a batch in it',
      '/batch',
      { body: { requests: [{ method: 'POST', url: '/batch', body: { requests: list } }] } },
    ],
    [
      'in a batch in its text',
      '/',
      {
        type: FORM,
        body: `batch=${encodeURIComponent(
          JSON.stringify([
            { method: 'POST', relative_url: '/', body: `batch=${encodeURIComponent(JSON.stringify(list))}` },
          ]),
        )}`,
      },
    ],
  ])('%s', (_where, path, given) => {
    expect(effects(`POST ${path}`, given)).toMatch(/^delete.*permissions.* write$/);
  });

  it('beside a request that can not be read', () => {
    const hostile = { method: 'GET', url: `/${'%25'.repeat(50)}2e;`.repeat(200) };
    expect(effects('POST /orders/5/refund', { body: { requests: [hostile, ...list] } })).toMatch(
      /^delete.*money.*permissions/,
    );
  });
});

it('a batch of nothing but requests that read is one', () => {
  const requests = [
    { method: 'GET', url: '/me' },
    { method: 'POST', url: '/orders/search', body: { q: 'x' } },
  ];
  expect(effects('POST /batch', { body: { requests } })).toBe('read');
  expect(effects('POST /batch', { body: requests })).toBe('read');
  expect(effects('POST /batch', { body: { requests, more: { requests: list } } })).toMatch(/^delete/);
  expect(effects('POST /batch', { body: { requests, more: { a: 1 } } })).toContain('write');
});

it('names the method and the path of the request that acts', () => {
  const found = reasons('POST /batch', { body: { requests: list } }).find(({ effect }) => effect === 'permissions');
  expect(found?.reason).toMatch(/^in the batch, DELETE \/users\/5: /);
});

it('takes the setting of a webhook for no request', () => {
  const body = { webhook: { method: 'POST', url: 'https://example.com/hook' } };
  expect(
    reasons('POST /widgets', { body })
      .map(({ reason }) => reason)
      .join(),
  ).not.toContain('in the batch');
});
