import { effects, type Given } from '../../test/support/classified.js';
import { clausesOf } from './clauses.js';
import { wordsOf } from './names.js';

it.each([
  ['findAndModify', ['find', 'modify']],
  ['search_and_delete', ['search', 'delete']],
  ['getOrCreateUser', ['get', 'create user']],
  ['readThenPurgeAndNotify', ['read', 'purge', 'notify']],
  ['searchReplace', ['search', 'replace']],
  ['findUpdateHistory', ['find update history']],
  ['getTermsAndConditions', ['get terms and conditions']],
  ['findByIdAndName', ['find by id and name']],
])('%s says %j', (name, clauses) => {
  expect(clausesOf(wordsOf(name)).map((words) => words.join(' '))).toEqual(clauses);
});

describe('a name reads only if each of its verbs reads', () => {
  it.each([
    ['POST /users/findAndModify', 'write'],
    ['POST /users/getOrCreate', 'write'],
    ['POST /users/search_and_delete', 'delete'],
    ['GET /getAndDelete', 'delete'],
    ['GET /exportAndDelete', 'delete'],
    ['POST /tokens/listAndRevoke', 'permissions'],
    ['POST /orders/search-then-refund', 'money'],
  ])('%s', (line, expected) => {
    expect(effects(line)).toContain(expected);
    expect(effects(line)).not.toContain('read');
  });

  it.each(['findAndModify', 'getOrCreateCustomer', 'listAndRevokeTokens'])('also the id %s', (id) => {
    const operation = { path: '/things/{id}/x', id, summary: 'Find a thing' };
    expect(effects('POST /things/7/x', { operation })).toContain('write');
  });

  it.each([
    ['POST', 'Find and delete things', 'delete'],
    ['POST', 'Search for a thing or create one', 'write'],
    ['POST', 'Look up an order, and refund it', 'money'],
    ['GET', 'Get and delete a thing', 'delete'],
    ['GET', 'Get the creation and update times', 'read'],
    ['POST', 'Search customers and people', 'read'],
  ])('also the summary of a %s: %s', (method, summary, expected) => {
    expect(effects(`${method} /things/7`, { operation: { path: '/things/{id}', summary } })).toContain(expected);
  });

  it.each(['POST /users/findByIdAndName', 'GET /getTermsAndConditions', 'GET /getCustomerAndOrder'])('%s', (line) => {
    expect(effects(line)).toContain('read');
  });
});

describe('a word that often is a thing, or often acts, lowers nothing', () => {
  const lines: string[] =
    `accounts orders/7/return disks/7/format users/7/verify models/download bookings/7/check-in estimate
    checks/check list matches/match information block-number company/7/estimate`.split(/\s+/);
  it.each(lines)('POST /%s', (path) => {
    expect(effects(`POST /${path}`)).toContain('write');
  });

  it.each<[string, Given]>([
    ['POST /orders/7/back', { operation: { path: '/orders/{id}/back', summary: 'Return an order' } }],
    ['POST /domains/7/x', { operation: { path: '/domains/{id}/x', id: 'verifyDomain', summary: 'Verify a domain' } }],
  ])('%s %j', (line, given) => {
    expect(effects(line, given)).toContain('write');
  });

  it('and others do', () => {
    expect(effects('POST /customers/list')).toContain('read');
    expect(effects('POST /x', { operation: { path: '/x', id: 'searchX', summary: 'Returns what fits' } })).toBe('read');
  });
});

it.each([
  ['GET /deactivateUserAccount', 'permissions'],
  ['GET /cancel-all-subscriptions', 'money'],
  ['GET /refund_all_orders', 'money'],
  ['GET /purge-old-files-now', 'delete'],
])('a GET acts whose path is a long name of an act: %s', (line, expected) => {
  expect(effects(line)).toContain(expected);
});
