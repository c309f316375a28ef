import type { LimitThen, LimitWindow } from '#contracts/states';
import { number } from '../../lib/format.js';

export const ruleSentenceMessages = {
  effects: { deny: 'Deny', limit: 'Limit', require_approval: 'Ask', allow: 'Allow', guidance: 'Tell the model' },
  approvals: (count: number) => `${count} people`,
  named: (count: number) => (count === 1 ? 'one named person' : `${count} named people`),
  of: 'of',
  limit: (count: number, per: LimitWindow, then: LimitThen) =>
    `to ${Number.isInteger(count) ? number(count) : count} per ${per}, then ${then === 'deny' ? 'refuse' : 'ask'}`,
  total: 'the total of',
  when: 'When',
  any: 'any agent',
  anyMethod: 'sends any request',
  does: (methods: string) => `sends ${methods}`,
  on: 'to',
  anyPath: 'any path',
  and: 'and',
  andWhen: 'and when',
  if: 'if',
  arrow: 'then',
  order:
    'The first that applies decides: deny → a limit that is used up → ask → allow → what people are asked about → risk score. An allow rule lifts what people are asked about only if it has a path or a condition.',
} as const;
