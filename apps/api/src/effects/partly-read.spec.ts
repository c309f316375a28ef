import { classified } from '../../test/support/classified.js';

/** An agent can put a thing behind so much else that it is not read. */
const many = <T>(count: number, item: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => item(n));
const look = (n: number) => ({ method: 'GET', url: `/customers/${n}` });
const remove = { method: 'DELETE', url: '/customers/1' };
const nested = (inner: object) => ({ method: 'POST', url: '/batch', body: { requests: [inner] } });
const call = (n: number) => ({ jsonrpc: '2.0', id: n, method: 'orders.get', params: { id: n } });

const HIDDEN: Record<string, [line: string, body: unknown]> = {
  'behind requests of a batch': ['POST /batch', { requests: [...many(200, look), remove] }],
  'behind requests of batches in a batch': [
    'POST /batch',
    { requests: many(20, (n) => ({ method: 'POST', url: `/batch/${n}`, body: { requests: many(50, look) } })) },
  ],
  'in batches in batches': ['POST /batch', { requests: [nested(nested(nested(remove)))] }],
  'behind calls': ['POST /rpc', [...many(500, call), { jsonrpc: '2.0', id: 1, method: 'orders.delete' }]],
  'behind fields': ['POST /orders', { ...Object.fromEntries(many(5001, (n) => [`f${n}`, n])), is_public: true }],
  'behind statements': ['POST /sql', { query: `${'select 1; '.repeat(10_001)} drop table orders` }],
  'behind fields of GraphQL': [
    'POST /graphql',
    { query: `mutation { ${many(8000, (n) => `a${n}: look`).join(' ')} deleteOrder }` },
  ],
};

it.each(Object.keys(HIDDEN))('a request that hides something %s is not wholly read, and unclear', (name) => {
  const [line, body] = HIDDEN[name];
  const { effects, isWhole } = classified(line, { body });
  expect(isWhole).toBe(false);
  expect(effects.map(({ effect }) => effect)).toEqual(expect.arrayContaining(['unclear', 'write']));
});

it.each([
  ['POST /batch', { requests: [...many(100, look), remove, nested(remove)] }],
  ['POST /rpc', many(500, call)],
  ['POST /orders', Object.fromEntries(many(4000, (n) => [`f${n}`, n]))],
  ['POST /sql', { query: 'select my_own(1); drop table orders' }],
  ['POST /launch', { a: 1 }],
] as const)('%s with what is read to its end is wholly read', (line, body) => {
  expect(classified(line, { body }).isWhole).toBe(true);
});
