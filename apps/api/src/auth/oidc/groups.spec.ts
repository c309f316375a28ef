import type { Role } from '#contracts/states';
import { groupsIn, highestRole } from './groups.js';

describe('groupsIn', () => {
  it.each([
    [{ groups: ['ops', 'desk'] }, ['ops', 'desk']],
    [{ groups: 'ops' }, ['ops']],
    [{ groups: [] }, []],
    [{ groups: null }, []],
    [{}, []],
    [{ _claim_names: { address: 'src1' } }, []],
    [{ _claim_names: null }, []],
  ])('reads %j', (claims, groups) => {
    expect(groupsIn(claims, 'groups')).toEqual(groups);
  });

  it.each([
    [{ groups: 7 }],
    [{ groups: true }],
    [{ groups: {} }],
    [{ groups: ['ops', 7] }],
    [{ groups: [['ops']] }],
    [{ groups: Array<string>(10_001).fill('ops') }],
    [{ _claim_names: { groups: 'src1' } }],
  ])('refuses a claim that it does not understand', (claims) => {
    expect(() => groupsIn(claims, 'groups')).toThrow(expect.objectContaining({ fault: 'sign_in_failed' }));
  });

  it('finds nothing in the prototype', () => {
    expect(groupsIn({}, 'constructor')).toEqual([]);
  });
});

describe('highestRole', () => {
  const map = new Map<string, Role>([
    ['ops', 'admin'],
    ['desk', 'approver'],
    ['audit', 'auditor'],
  ]);

  it.each([
    [['audit', 'ops', 'desk'], 'admin'],
    [['desk', 'audit', 'other'], 'approver'],
    [['OPS'], null],
    [['other'], null],
    [[], null],
  ])('of %j is %s', (groups, role) => {
    expect(highestRole(groups, map)).toBe(role);
  });
});
