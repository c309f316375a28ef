import type { ProxyAnswer } from './gateway.js';

/** @returns how many answers have each status */
export const countByStatus = (answers: ProxyAnswer[]): Record<number, number> =>
  answers.reduce<Record<number, number>>((counts, { status }) => {
    counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }, {});
