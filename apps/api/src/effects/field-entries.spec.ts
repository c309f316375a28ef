import { effects } from '../../test/support/classified.js';

const FORM = 'application/x-www-form-urlencoded';

it.each<[string, object, string]>([
  ['document', { visibility: 'public' }, 'publishing'],
  ['row', { role: 'admin' }, 'permissions'],
  ['fields', { amount: 500 }, 'money'],
  ['message', { delete: { id: 7 } }, 'delete'],
  ['note', { published: true }, 'publishing'],
  ['values', { settings: { is_admin: true } }, 'permissions'],
])('looks into a wrapper: %s %j', (wrapper, thing, expected) => {
  expect(effects('PATCH /things/7', { body: { [wrapper]: thing } })).toContain(expected);
});

it('looks into a wrapper of a form', () => {
  expect(effects('PATCH /things/7', { body: 'document[visibility]=public', type: FORM })).toContain('publishing');
});

it.each([
  { message: 'role: admin' },
  { rows: [{ role: 'admin' }] },
  { metadata: { role: 'admin' } },
  { page: { fields: { amount: 5 } } },
  { document: { body: { role: 'admin' } } },
])('does not look into what people write: %j', (body) => {
  expect(effects('PATCH /things/7', { body })).toBe('write');
});

it('takes no name in a wrapper for a label', () => {
  const operation = { path: '/keys/{id}', summary: 'Update a key', fields: ['properties'] };
  expect(effects('PATCH /keys/7', { operation, body: { properties: { name: 'x' } } })).toContain('credentials');
});
