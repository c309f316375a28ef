import { number } from '../../lib/format.js';

export const sameThingMessages = {
  others: (count: number) =>
    count === 1 ? '1 more waiting request names' : `${number(count)} more waiting requests name`,
  link: (count: number) => (count === 1 ? 'Show both' : `Show all ${number(count + 1)}`),
} as const;
