import { FORM, MULTIPART, withBodies, withTypes, withUrls, type Disagreement } from './disagreement.js';
import { END, named } from './forms.js';

export const QUERIES = withUrls('query', 'queries that servers split, fold or decode differently', [
  '/x?amount=5&amount=5000',
  '/x?amount=5000&amount=5',
  '/x?amount=5;amount=5000',
  '/x?a=1;amount=5000',
  '/x?Amount=5000',
  '/x?amount=5&AMOUNT=5000',
  '/x?amount[]=5000',
  '/x?amount=5&amount[]=5000',
  '/x?amount=5&amount[0]=5000',
  '/x?amount.value=5000',
  '/x?amount%00=5000',
  '/x?%20amount=5000',
  '/x?amount+=5000',
  '/x?amount=5&%61mount=5000',
  '/x?amount=5%zz',
  '/x?amount=%u0035000',
  '/x?amount=5&%E0%81%A1mount=5000',
  '/x??amount=5000',
  '/x?amount=5e3',
  '/x?amount%3D5000',
]);

const PAY = 'mutation { pay }';
const inJson = (query: string): string => JSON.stringify({ query });

export const GRAPHQL = [
  ...withBodies('graphql', 'application/json', 'which text is the document', [
    inJson(PAY),
    JSON.stringify({ query: `query A { a } mutation B { pay }`, operationName: 'A' }),
    JSON.stringify({ query: `mutation B { pay } query A { a }`, operationName: 'A' }),
    JSON.stringify([{ query: '{ a }' }, { query: PAY }]),
    JSON.stringify({ Query: PAY }),
    JSON.stringify({ QUERY: PAY }),
    `{"query":"{ a }","query":"${PAY}"}`,
    `{"query":"{ a }","Query":"${PAY}"}`,
    `{"query":"{ a }","qu\\u0065ry":"${PAY}"}`,
    `{"qu\\u0065ry":"${PAY}"}`,
    JSON.stringify({ query: [PAY] }),
    JSON.stringify({ query: ['{ a }', PAY] }),
    `${inJson('{ a }')}${inJson(PAY)}`,
    `${inJson(PAY)},`,
    `{"query":"${PAY}"`,
    `{'query':'${PAY}',"query":"{ a }"}`,
    `{"query":"{ a }"/**/,"variables":{}}`,
  ]),
  ...withBodies('graphql', 'application/json', 'documents that parsers read differently', [
    inJson(`#{ a }\n${PAY}`),
    inJson(`\ufeff${PAY}`),
    inJson(`,,, ${PAY}`),
    inJson('fragment F on Mutation { pay } mutation { ...F }'),
    inJson('mutation { ... on Mutation { a: pay } }'),
    inJson('mutation($a: Int = 1) @x { pay }'),
    inJson('{ a } mutation { pay }'),
    inJson('mutation { pay'),
    inJson('mutation { pay } }'),
    inJson('{ a } extend mutation { pay }'),
    inJson('query { a } # \r mutation { pay }'),
    inJson('{ a } \u2028 mutation { pay }'),
    inJson('{ a(b: """ \\""" """) } mutation { pay }'),
    inJson(`{ ${'a '.repeat(20_001)} } ${PAY}`),
    `{"query":"{ a }\\u0000 ${PAY}"}`,
  ]),
  ...withTypes('graphql', inJson(PAY), 'JSON of another type', [
    ...['text/plain', 'application/graphql', 'application/octet-stream', FORM, 'application/json; charset=utf-16', ''],
    ...['application/graphql+json', 'application/x-json', 'multipart/form-data'],
  ]),
  ...withTypes('graphql', PAY, 'a document as the body', [
    ...['application/graphql', 'application/graphql; charset=utf-8', 'APPLICATION/GRAPHQL'],
  ]),
  ...withBodies('graphql', FORM, 'a form', [
    `query=${encodeURIComponent(PAY)}`,
    `Query=${encodeURIComponent(PAY)}`,
    `query=%7Ba%7D&query=${encodeURIComponent(PAY)}`,
  ]),
  { danger: 'graphql', why: 'lines', type: 'application/x-ndjson', body: `${inJson('{ a }')}\n${inJson(PAY)}` },
  ...withUrls('graphql', 'queries in the URL, and queries that the server knows', [
    `/graphql?query=${encodeURIComponent(PAY)}`,
    `/x?query=${encodeURIComponent(PAY)}`,
    `/x?QUERY=${encodeURIComponent(PAY)}`,
    `/x?query=%7Ba%7D&query=${encodeURIComponent(PAY)}`,
    '/graphql?extensions=%7B%22persistedQuery%22%3A%7B%7D%7D',
    '/api/GraphQL?id=pay',
    '/gql?documentId=1',
    '/graphql.php?q=1',
  ]),
  ...withUrls('graphql', 'a query in the URL and another one in the body', [`/x?query=${encodeURIComponent(PAY)}`], {
    type: 'application/json',
    body: inJson('{ a }'),
  }),
  ...[
    '{"id":"pay"}',
    '{"extensions":{}}',
    '[{"query":"{ a }"},{"id":"pay"}]',
    '{"query":null}',
    '{"query":"pay"}',
  ].flatMap((body) =>
    withUrls('graphql', 'a query that the server knows', ['/graphql'], { type: 'application/json', body }),
  ),
  ...[
    `${named('operations', inJson(PAY))}${END}`,
    `${named('operations', '{"query":"{ a }","query":""}')}${END}`,
  ].flatMap((body) => withUrls('graphql', 'a form with operations', ['/graphql'], { type: MULTIPART, body })),
] satisfies Disagreement[];

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'pay', arguments: {} } };
const CALLED = JSON.stringify(CALL);
const PING = '{"jsonrpc":"2.0","id":2,"method":"ping"}';

export const RPC = [
  ...withBodies('rpc', 'application/json', 'which call it is', [
    CALLED,
    `[${PING},${CALLED}]`,
    `[${CALLED},${PING}]`,
    JSON.stringify({ ...CALL, id: undefined }),
    JSON.stringify({ ...CALL, jsonrpc: undefined }),
    CALLED.replace('"method"', '"Method"'),
    CALLED.replace('"jsonrpc"', '"JSONRPC"'),
    CALLED.replace('"name"', '"Name"'),
    CALLED.replace('"params"', '"PARAMS"'),
    CALLED.replace('"method"', '"m\\u0065thod"'),
    CALLED.replace('tools/call', 'tools\\/call'),
    CALLED.replace('"pay"', '"\\u0070ay"'),
    CALLED.replace('"method"', '"method":"ping","method"'),
    CALLED.replace('"method"', '"method":"ping","Method"'),
    CALLED.replace('"method"', '"method":"ping","m\\u0065thod"'),
    CALLED.replace('"name"', '"name":"other","name"'),
    CALLED.replace('"name"', '"name":"other","NAME"'),
    CALLED.replace('"params"', '"params":{"name":"other"},"params"'),
    CALLED.replace('"pay"', '["pay"]'),
    CALLED.replace('{"name":"pay","arguments":{}}', '["pay"]'),
    CALLED.replace('"tools/call"', '["tools/call"]'),
    CALLED.slice(0, -1),
    `${CALLED}}`,
    `${PING}${CALLED}`,
    `${PING}\n${CALLED}`,
    `${CALLED},`,
    `/**/${CALLED}`,
    `\ufeff${CALLED}`,
    CALLED.replace('"pay"', '"pay\\u0000x"'),
    CALLED.replaceAll('"', "'").replace("'jsonrpc'", '"jsonrpc"'),
  ]),
  { danger: 'rpc', why: 'lines', type: 'application/x-ndjson', body: `${PING}\n${CALLED}` },
  ...withTypes('rpc', CALLED, 'JSON of another type', [
    ...['text/plain', 'application/octet-stream', FORM, 'application/json; charset=utf-7', 'application/json-rpc', ''],
    'application/jsonrequest',
  ]),
] satisfies Disagreement[];
