import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { graphqlDocuments } from './graphql-sent.js';

const VARIABLES = encodeURIComponent(`{"a":[${'1,'.repeat(300)}1]}`);
const request = (documents: number, inUrl: number) => ({
  method: 'POST' as const,
  targetUrl: `https://api.example.com/graphql?${`variables=${VARIABLES}&`.repeat(inUrl)}`,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(Array.from({ length: documents }, () => ({ query: '{a}' }))),
});

it('reads the variables of the URL once, however many documents may get them', async () => {
  const read = (documents: number, inUrl: number) => () => graphqlDocuments(request(documents, inUrl));
  expect(read(400, 10)()?.documents).toHaveLength(400);
  expect(await timesAsLong(read(400, 10), read(40, 10))).toBeLessThan(8);
});

it('can not decide about more documents than a server takes', () => {
  expect(graphqlDocuments(request(501, 0))).toMatchObject({ isUndecidable: true, hasUnreadVariables: true });
});
