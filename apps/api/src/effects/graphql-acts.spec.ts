import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { effects, type Given } from '../../test/support/classified.js';

const FORM = 'application/x-www-form-urlencoded';
/** Fields that have an effect wherever they stand, each with the effect. */
const FIELDS: readonly [name: string, value: string, effect: string][] = [
  ['role', 'ADMIN', 'permissions'],
  ['amount', '500', 'money'],
  ['visibility', 'PUBLIC', 'publishing'],
  ['webhookUrl', 'https://evil.example/x', 'credentials'],
  ['password', 'hunter2', 'credentials'],
  ['sql', 'DROP TABLE users', 'delete'],
];
const quoted = (text: string): string => JSON.stringify(text);

/** Ways to give a field to a mutation. @param a the name @param v the value */
const WAYS: Record<string, (a: string, v: string) => [path: string, given: Given]> = {
  'a literal': (a, v) => ['/graphql', { body: { query: `mutation{setThing(${a}:${quoted(v)}){id}}` } }],
  'an object of literals': (a, v) => [
    '/graphql',
    { body: { query: `mutation{setThing(input:{x:[{${a}:${quoted(v)}}]}){id}}` } },
  ],
  'a variable of another name': (a, v) => [
    '/graphql',
    { body: { query: `mutation($x:T!){setThing(${a}:$x){id}}`, variables: { x: v } } },
  ],
  'a variable of the same name': (a, v) => [
    '/graphql',
    { body: { query: `mutation($${a}:T!){setThing(${a}:$${a}){id}}`, variables: { [a]: v } } },
  ],
  'a variable in an object': (a, v) => [
    '/graphql',
    { body: { query: `mutation($x:T!){setThing(input:{a:{${a}:$x}}){id}}`, variables: { x: v } } },
  ],
  'a variable that is an object': (a, v) => [
    '/graphql',
    { body: { query: 'mutation($b:T!){setThing(input:$b){id}}', variables: { b: { [a]: v } } } },
  ],
  'a default': (a, v) => ['/graphql', { body: { query: `mutation($x:T=${quoted(v)}){setThing(${a}:$x){id}}` } }],
  'a default of an object': (a, v) => [
    '/graphql',
    { body: { query: `mutation($x:T={${a}:${quoted(v)}}){setThing(input:$x){id}}`, variables: { y: 1 } } },
  ],
  'variables in a text': (a, v) => [
    '/graphql',
    { body: { query: `mutation($x:T!){setThing(${a}:$x){id}}`, Variables: JSON.stringify({ x: v }) } },
  ],
  'variables in the URL': (a, v) => [
    `/graphql?variables=${encodeURIComponent(JSON.stringify({ x: v }))}`,
    { body: { query: `mutation($x:T!){setThing(${a}:$x){id}}` } },
  ],
  'a document in the URL': (a, v) => [
    `/graphql?query=${encodeURIComponent(`mutation($x:T!){setThing(${a}:$x){id}}`)}`,
    { body: { variables: { x: v } } },
  ],
  'variables in a form': (a, v) => [
    '/graphql',
    {
      type: FORM,
      body: `query=${encodeURIComponent(`mutation($x:T!){setThing(${a}:$x){id}}`)}&variables=${encodeURIComponent(JSON.stringify({ x: v }))}`,
    },
  ],
  'the operations of a form': (a, v) => [
    '/graphql',
    {
      type: FORM,
      body: `operations=${encodeURIComponent(JSON.stringify({ query: `mutation($${a}:T!){setThing(${a}:$${a}){id}}`, variables: { [a]: v } }))}`,
    },
  ],
  'the second item of a batch': (a, v) => [
    '/graphql',
    {
      body: [
        { query: '{viewer{id}}', variables: { x: 'none' } },
        { query: `mutation($x:T!){setThing(${a}:$x){id}}`, variables: { x: v } },
      ],
    },
  ],
  'a directive': (a, v) => ['/graphql', { body: { query: `mutation{setThing @with(${a}:${quoted(v)}){id}}` } }],
  'a field below': (a, v) => ['/graphql', { body: { query: `mutation{things{update(${a}:${quoted(v)}){id}}}` } }],
  'a fragment': (a, v) => [
    '/graphql',
    {
      body: {
        query: `mutation($x:T!){...F} fragment F on M{... on M{setThing(${a}:$x){id}}}`,
        variables: { x: v },
      },
    },
  ],
};

describe('a field of a mutation has its effect', () => {
  it.each(Object.keys(WAYS))('as %s', (way) => {
    for (const [name, value, effect] of FIELDS) {
      const [path, given] = WAYS[way](name, value);
      expect([name, effects(`POST ${path}`, given)]).toEqual([name, expect.stringMatching(effect)]);
    }
  });
});

it('reads a statement in an argument of a query', () => {
  const body = { query: 'query($q:String!){runSql(sql:$q){rows}}', variables: { q: 'DROP TABLE users' } };
  expect(effects('POST /graphql', { body })).toMatch(/delete.* write$/);
  expect(effects('POST /graphql', { body: { query: '{runSql(sql:"DROP TABLE users"){rows}}' } })).toMatch(
    /delete.* write$/,
  );
});

it('counts one deletion as one, by a variable too', () => {
  for (const body of [
    { query: 'mutation($id:ID!){deleteIssue(id:$id){id}}', variables: { id: '7' } },
    { query: 'mutation($issueId:ID!){deleteIssue(id:$issueId){id}}', variables: { issueId: '7' } },
    { query: 'mutation{deleteIssue(id:"7"){id}}' },
  ])
    expect(effects('POST /graphql', { body })).toBe('delete write');
});

it('takes nothing that selects what is returned for an argument of the mutation', () => {
  const query = 'mutation{createIssue(title:"x"){issue{id repositories(privacy:PUBLIC,first:3){nodes{id}}}}}';
  expect(effects('POST /graphql', { body: { query } })).toBe('write');
});

describe('what only the server knows is unclear', () => {
  const query = '{viewer{id}}';
  const stored = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });
  it.each<[string, Given]>([
    ['/graphql', { body: { extensions: stored('ab'), variables: { x: 1 } } }],
    ['/graphql', { body: { query, extensions: stored('ab') } }],
    ['/graphql', { body: { query, extensions: JSON.stringify(stored('ab')) } }],
    ['/graphql', { body: [{ query }, { Extensions: stored('ab') }] }],
    ['/graphql', { body: { documentId: 'ab' } }],
    ['/graphql', { body: { query, variables: '{"x":' } }],
    ['/graphql', { body: { query, variables: [1] } }],
    ['/orders', { body: { extensions: stored('ab') } }],
    [`/orders?extensions=${encodeURIComponent(JSON.stringify(stored('ab')))}`, {}],
  ])('POST %s %j', (path, given) => {
    expect(effects(`POST ${path}`, given)).toMatch(/unclear write$/);
  });

  it('unless the request has the document of the hash', () => {
    const extensions = stored(hash('sha256', query, 'hex'));
    expect(effects('POST /graphql', { body: { query, extensions } })).toBe('read');
  });

  it('and the name of the operation adds to it', () => {
    const body = { extensions: stored('ab'), operationName: 'DeleteRepository' };
    expect(effects('POST /graphql', { body })).toMatch(/delete.*unclear write$/);
  });
});

it.each<[string, (size: number) => object]>([
  [
    'one variable at many places',
    (size) => {
      const names = Array.from({ length: size }, (_, at) => `a${at}:$v`).join();
      return { query: `mutation($v:T){setThing(${names}){id}}`, variables: { v: Array<number>(size).fill(1) } };
    },
  ],
  [
    'one fragment at many places',
    (size) => ({ query: `mutation ${'{...F}'.repeat(size)} fragment F on Q{${'a(x:1) '.repeat(size)}}` }),
  ],
])('reads %s in bounded time', async (_what, body) => {
  const read = (size: number) => (): string => effects('POST /graphql', { body: body(size) });
  expect(read(4000)()).toContain('unclear write');
  // Ten times the text. Unbounded, each of the places would be read again: a hundred times as long.
  expect(await timesAsLong(read(4000), read(400))).toBeLessThan(50);
});

it('loses no effect by other variables, documents and extensions', () => {
  const json = fc.jsonValue({ maxDepth: 2 });
  const added = fc.record(
    {
      variables: fc.oneof(json, fc.constantFrom<unknown>({}, { x: null }, '{}', 'null')),
      operationName: fc.constantFrom('A', 'B', '', 'Search'),
      extensions: json,
      Query: fc.constantFrom('{viewer{id}}', 'query B {a}', ''),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(added, fc.constantFrom(...FIELDS), (more, [name, value, effect]) => {
      const body = { query: `mutation A($x:T=1){setThing(${name}:${quoted(value)}){id}}`, ...more };
      expect(effects('POST /graphql', { body })).toMatch(new RegExp(`(?:${effect}|unclear).* write$`));
    }),
    { numRuns: 100 },
  );
});
