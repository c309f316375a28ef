import type { LimitWindow } from '#contracts/states';
import { number } from '../../lib/format.js';

export const limitMessages = {
  used: (used: number, count: number) =>
    used >= count
      ? `${number(used)} of ${number(count)}, used up`
      : `${number(used)} of ${number(count)}, ${number(count - used)} left`,
  resets: (time: string) => `starts again in ${time}`,
  now: { minute: 'Used in this minute', hour: 'Used in this hour', day: 'Used today (UTC)' } satisfies Record<
    LimitWindow,
    string
  >,
  none: {
    minute: 'No agent has used it in this minute.',
    hour: 'No agent has used it in this hour.',
    day: 'No agent has used it today (UTC).',
  } satisfies Record<LimitWindow, string>,
  most: (count: number) => `These are the ${count} agents that have used the most.`,
} as const;
