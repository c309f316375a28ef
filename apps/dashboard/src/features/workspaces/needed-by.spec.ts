import type { Action } from '#contracts';
import { isNeeded } from './needed-by.js';

const DI = { id: 4, name: 'Di' };
const BO = { id: 2, name: 'Bo' };

const approvals = (change: Partial<Action['approvals']>): Action['approvals'] => ({
  needed: 1,
  given: [],
  mayApprove: [DI],
  mayApproveCount: 1,
  tooFew: false,
  you: 'may_approve',
  ...change,
});

describe('isNeeded', () => {
  it.each<[string, Partial<Action['approvals']>, boolean]>([
    ['the only person who may approve', {}, true],
    ['one of two who may give the only approval', { mayApprove: [BO, DI], mayApproveCount: 2 }, false],
    ['one of two who must both approve', { needed: 2, mayApprove: [BO, DI], mayApproveCount: 2 }, true],
    ['somebody who may not approve', { mayApprove: [BO] }, false],
    ['one of many, of whom the list names ten', { needed: 2, mayApprove: [DI], mayApproveCount: 12 }, false],
  ])('%s', (_, change, expected) => {
    expect(isNeeded(approvals(change), DI.id)).toBe(expected);
  });
});
