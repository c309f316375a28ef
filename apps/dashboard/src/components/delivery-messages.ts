/** The texts of a table of deliveries. They are separate from those that every page loads. */
export const deliveryMessages = {
  event: 'Event',
  when: 'When',
  result: 'Result',
  attempts: 'Attempts',
  sending: 'sending',
  next: (time: string) => `next attempt in ${time}`,
  nextNow: 'next attempt now',
  answered: (status: number) => `answered ${status}`,
} as const;
