import type { ActionStatus } from '#contracts';

export const repeatsMessages = {
  /** `when` is the age of the decision in words, and starts with a space. */
  text: (status: ActionStatus, name: string, when: string) =>
    ({
      PENDING: 'The same request is already waiting for a decision.',
      APPROVED: `The same request was approved by ${name}${when}.`,
      DENIED: `The same request was denied by ${name}${when}.`,
      EXPIRED: 'The same request was held before and expired.',
      EXECUTED: `The same request was approved by ${name}${when} and executed.`,
    })[status],
  link: 'Open that request',
} as const;
