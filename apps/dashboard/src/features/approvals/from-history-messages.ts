export const fromHistoryMessages = {
  region: 'Request',
  back: 'History',
  done: 'Back to History',
} as const;
