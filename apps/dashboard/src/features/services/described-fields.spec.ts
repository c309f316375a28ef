import type { DocumentedOperation } from '#contracts';
import { describedNames, withDescribed } from './described-fields.js';

const operation = (method: string, path: string, names: Partial<DocumentedOperation>): DocumentedOperation => ({
  ...{ documentId: 1, method, path, operationId: null, summary: null },
  ...names,
});
const OPERATIONS = [
  operation('POST', '/charges', { fields: ['amount', 'card'], queryParameters: ['expand'], operationId: 'charge' }),
  operation('POST', '/charges/{id}/refunds', { fields: ['reason', 'amount'], tags: ['Billing'] }),
  operation('GET', '/charges', { queryParameters: ['limit'] }),
  operation('POST', '', { fields: ['to'], operationId: 'send_mail' }),
];

it('offers the names of the operations that a rule is about, the most common first', () => {
  expect(describedNames(OPERATIONS, { methods: ['POST'], pathPattern: '' })).toEqual({
    fields: ['amount', 'card', 'reason'],
    queryParameters: ['expand'],
    tags: ['Billing'],
    operations: ['charge'],
    tools: ['send_mail'],
  });
  expect(describedNames(OPERATIONS, { methods: [], pathPattern: '/charges/ch_1/**' }).fields).toEqual([
    'reason',
    'amount',
  ]);
  expect(describedNames(OPERATIONS, { methods: ['GET'], pathPattern: '/charges' }).queryParameters).toEqual(['limit']);
});

it('offers all names if the paths of the description are others', () => {
  expect(describedNames(OPERATIONS, { methods: [], pathPattern: '/v1/charges' }).fields).toContain('card');
});

it('knows the kinds of fields that were sent, and adds the others', () => {
  expect(withDescribed([{ name: 'amount', kind: 'number', isForm: false }], ['amount', 'card'])).toEqual([
    { name: 'amount', kind: 'number', isForm: false },
    { name: 'card', kind: null, isForm: false },
  ]);
});
