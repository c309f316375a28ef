import fc from 'fast-check';
import { takeApart } from './openapi-operations.mjs';

const WORDS = [
  '$ref',
  'servers',
  'url',
  'variables',
  'default',
  'parameters',
  'requestBody',
  'responses',
  'schema',
  'toString',
];
const REFERENCES = ['#/a', '#/paths', '#/paths/~1a', '#/paths/~1a/get', '#/toString', '#/', 'other.yaml#/a'];

/** Arbitrary values in arbitrary places, under the names that a document uses. */
const anything = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(fc.constantFrom(...REFERENCES, '/v{default}/', 'https://x/{url}'), fc.string({ unit: 'binary' })),
    fc.constantFrom(null, true, 7),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...WORDS, 'summary', 'description', 'get', 'put'), tie('node'), { maxKeys: 4 }),
  ),
})).node;

describe('takeApart', () => {
  it('accepts any value in any place, and keeps its limits', () => {
    const item = fc.oneof(anything, fc.dictionary(fc.constantFrom('get', 'put', 'parameters', 'servers'), anything));
    fc.assert(
      fc.property(item, anything, anything, (path, servers, a) => {
        const document = JSON.parse(
          JSON.stringify({ openapi: '3.0.0', paths: { '/a': path, x: path }, servers, a }),
        ) as object;
        for (const operation of takeApart(document, 100).operations) {
          expect(['GET', 'PUT']).toContain(operation.method);
          expect(operation.excerpt.length).toBeLessThanOrEqual(4_000);
          const { facts, ...texts } = operation;
          expect(JSON.stringify(facts).length).toBeLessThanOrEqual(4_000);
          const names = [facts.tags, facts.queryParameters, facts.fields].flat();
          for (const text of [...Object.values(texts), ...names]) {
            expect(text === null || (text.isWellFormed() && !text.includes('\0'))).toBe(true);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('references', () => {
  const operation = { summary: 'Read an order' };
  const read = (paths: object, others: object = {}) =>
    takeApart({ openapi: '3.0.0', paths, ...others }, 100).operations.map(({ method, path, summary }) => ({
      method,
      path,
      summary,
    }));

  it('may be percent-encoded', () => {
    const found = read({ '/orders/{id}': { get: operation }, '/copy': { $ref: '#/paths/~1orders~1%7Bid%7D' } });
    expect(found.map(({ path }) => path)).toEqual(['/orders/{id}', '/copy']);
    const schema = { 'Page«New Thing»': { type: 'string', description: 'the page' } };
    const parameter = { schema: { $ref: '#/definitions/Page%C2%ABNew%20Thing%C2%BB' } };
    const paths = { '/a': { get: { parameters: [parameter] } } };
    const [{ excerpt }] = takeApart({ openapi: '3.0.0', paths, definitions: schema }, 1).operations;
    expect(excerpt).toContain('the page');
  });

  it('lead through other references, and members beside a reference count too', () => {
    const items = { first: { $ref: '#/items/second' }, second: { get: operation } };
    const beside = { $ref: '#/items/first', put: { summary: 'Replace it' } };
    expect(read({ '/a': { $ref: '#/items/first' } }, { items })).toEqual([{ method: 'GET', path: '/a', ...operation }]);
    expect(read({ '/a': beside }, { items }).map(({ method }) => method)).toEqual(['GET', 'PUT']);
  });

  it('name the anchor of a schema', () => {
    const paths = { '/a': { get: { parameters: [{ schema: { $ref: '#page' } }] } } };
    const components = { schemas: { Page: { $anchor: 'page', description: 'the page' } } };
    const { operations, ignored } = takeApart({ openapi: '3.1.0', paths, components }, 1);
    expect(operations[0].excerpt).toContain('the page');
    expect(ignored).toEqual([]);
  });

  it('in a loop give nothing', () => {
    expect(read({ '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1a' }, '/c': { get: operation } })).toEqual([
      { method: 'GET', path: '/c', ...operation },
    ]);
  });
});

it('reads methods in capitals', () => {
  const { operations } = takeApart({ openapi: '3.0.0', paths: { '/a': { GET: {}, Post: {} } } }, 10);
  expect(operations.map(({ method }) => method)).toEqual(['GET', 'POST']);
});

describe('what is ignored', () => {
  const ignoredIn = (paths: object, others: object = {}) => {
    const { ignored, ignoredCount } = takeApart({ openapi: '3.1.0', paths, ...others }, 100);
    expect(ignoredCount).toBe(ignored.length);
    return ignored.map(({ where, why }) => `${where} ${why}`);
  };
  const CALLED_BY_API = 'describes calls that the API makes, not calls to the API';
  const NO_METHOD = 'is not a method that agents can use';

  it.each<readonly [string, object, object, string[]]>([
    ['nothing', { '/a': { get: {}, summary: 's', 'x-note': { get: {} } }, 'x-paths': {} }, {}, []],
    [
      'keys that are no paths',
      { 'orders/{id}': { get: {} } },
      {},
      ['#/paths/orders~1{id} is not a path, because it does not begin with "/"'],
    ],
    [
      'methods',
      { '/a': { trace: {}, query: {}, additionalOperations: { COPY: {} } } },
      {},
      ['trace', 'query', 'additionalOperations/COPY'].map((key) => `#/paths/~1a/${key} ${NO_METHOD}`),
    ],
    [
      'operations in extensions',
      { '/a': { 'x-any-method': { responses: {} } } },
      {},
      [`#/paths/~1a/x-any-method ${NO_METHOD}`],
    ],
    ['a method twice', { '/a': { GET: {}, get: {} } }, {}, ['#/paths/~1a/GET is there twice, in other letters']],
    [
      'what is no object',
      { '/a': null, '/b': { get: 'x' } },
      {},
      ['#/paths/~1a is not an object', '#/paths/~1b/get is not an object'],
    ],
    [
      'references to nothing',
      {
        '/a': { $ref: 'a.yaml' },
        '/b': { $ref: '#/nothing' },
        '/c': { $ref: '#/paths/~1c' },
        '/d': { get: { $ref: '#nothing' } },
      },
      {},
      [
        '#/paths/~1a refers to another document, which is not fetched',
        '#/paths/~1b refers to a part that the document does not have',
        '#/paths/~1c refers to itself',
        '#/paths/~1d/get refers to a part that the document does not have',
      ],
    ],
    [
      'references to nothing within an operation, once for each reason',
      {
        '/a': {
          get: { parameters: [{ $ref: 'a.yaml#/p' }, { $ref: 'a.yaml#/q' }], responses: { 200: { $ref: '#/no' } } },
        },
      },
      {},
      [
        '#/paths/~1a/get has a reference to a part that the document does not have',
        '#/paths/~1a/get has a reference to another document, which is not fetched',
      ],
    ],
    [
      'calls that the API makes',
      { '/a': { post: { callbacks: { paid: {} } } } },
      { webhooks: { refunded: {} }, 'x-webhooks': { lost: {} } },
      ['paths/~1a/post/callbacks/paid', 'webhooks/refunded', 'x-webhooks/lost'].map(
        (key) => `#/${key} ${CALLED_BY_API}`,
      ),
    ],
    [
      'servers with other paths, and without a URL',
      {},
      { servers: [{ url: '/v1' }, { url: 'https://eu.example.com/v1' }, { url: '/v2' }, { url: 'https://[' }] },
      [
        '#/servers/2 has another path than the first server, and only that one is read',
        '#/servers/3 is not a server with a URL',
      ],
    ],
    [
      'long paths',
      { [`/${'a'.repeat(2_000)}`]: { get: {} } },
      {},
      [`#/paths/~1${'a'.repeat(189)}… is longer than 2000 characters`],
    ],
  ])('has %s', (_, paths, others, expected) => {
    expect(ignoredIn(paths, others)).toEqual(expected);
  });

  it('is listed up to a hundred parts, and counted beyond', () => {
    const paths = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`p${i}`, {}]));
    const { ignored, ignoredCount } = takeApart({ openapi: '3.0.0', paths }, 1);
    expect([ignored.length, ignoredCount]).toEqual([100, 250]);
  });

  it('includes every operation that is not read', () => {
    const anyItem = fc.dictionary(
      fc.constantFrom('get', 'GET', 'put', 'trace', 'query', '$ref'),
      fc.oneof(fc.constant({}), fc.constant(null), fc.constant({ $ref: '#/no' })),
    );
    const anyPaths = fc.dictionary(fc.constantFrom('/a', '/b/{c}', 'd'), fc.oneof(anyItem, fc.constant(null)));
    fc.assert(
      fc.property(anyPaths, (paths) => {
        const { operations, ignored } = takeApart({ openapi: '3.1.0', paths }, 100);
        for (const [path, item] of Object.entries(paths)) {
          for (const key of Object.keys(item ?? {}).filter((each) => each !== '$ref')) {
            const place = `#/paths/${path.replaceAll('/', '~1')}`;
            const isRead = operations.some((found) => found.path === path && found.method === key.toUpperCase());
            expect(isRead || ignored.some(({ where }) => [place, `${place}/${key}`].includes(where))).toBe(true);
          }
        }
      }),
    );
  });
});
