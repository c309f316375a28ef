import { effects } from '../../test/support/classified.js';

it.each([{ path: '/lists/1/delete' }, { httpMethod: 'DELETE' }, { body: {}, data: { role: 'admin' } }])(
  'a request of a batch that servers may read in two ways is unclear: %j',
  (more) => {
    const body = { requests: [{ method: 'POST', url: '/users/search', ...more }] };
    expect(effects('POST /batch', { body })).toMatch(/unclear write$/);
  },
);
