import type { ServiceRule } from '../service-view/service-view.js';
import { approvalsNeeded, stricter } from './approvals-needed.js';

const rule = (
  approvals: number,
  approverIds: number[],
  effect: ServiceRule['effect'] = 'require_approval',
): ServiceRule => ({
  id: 1,
  name: 'r',
  effect,
  methods: [],
  pathPattern: '',
  when: '',
  instruction: '',
  agentIds: [],
  approvals,
  approverIds,
  limit: null,
  expiresAt: null,
  maxUses: null,
  createdAt: 0,
});

it('needs one person, anyone who may approve, if no rule says otherwise', () => {
  expect(approvalsNeeded([])).toEqual({ needed: 1, approverIds: null });
  expect(approvalsNeeded([rule(3, [1, 2, 3], 'allow')])).toEqual({ needed: 1, approverIds: null });
});

it('takes the highest number, and only people whom every rule with names includes', () => {
  expect(approvalsNeeded([rule(2, []), rule(3, [1, 2, 3]), rule(1, [2, 3, 4])])).toEqual({
    needed: 3,
    approverIds: [2, 3],
  });
});

it('lets nobody approve if two rules name different people', () => {
  expect(approvalsNeeded([rule(1, [1]), rule(1, [2])]).approverIds).toEqual([]);
  expect(stricter({ needed: 1, approverIds: [] }, { needed: 2, approverIds: null })).toEqual({
    needed: 2,
    approverIds: [],
  });
});
