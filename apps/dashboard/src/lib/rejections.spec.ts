import type { ServiceUsage } from '#contracts';
import { risenRejections } from './rejections.js';

const usage = (before: [rejected: number, answers: number], after: [rejected: number, answers: number]) => {
  const count = ([rejected, answers]: [number, number]) => ({ rejected, answers });
  return { rejections: { before: count(before), after: count(after) } } as ServiceUsage;
};

describe('risenRejections', () => {
  it.each([
    ['the first rejection', usage([0, 100], [1, 50])],
    ['a rejection without any request before', usage([0, 0], [1, 1])],
    ['more than twice the share', usage([10, 100], [21, 100])],
  ])('sees %s', (_what, rising) => expect(risenRejections(rising)).toBe(rising.rejections));

  it.each([
    ['no rejection', usage([0, 100], [0, 100])],
    ['no request since', usage([5, 100], [0, 0])],
    ['as many as before', usage([10, 100], [1, 10])],
    ['twice the share', usage([10, 100], [20, 100])],
    ['no rotation lately', { rejections: null } as ServiceUsage],
    ['figures that are not loaded', undefined],
  ])('does not report %s', (_what, steady) => expect(risenRejections(steady)).toBeNull());
});
