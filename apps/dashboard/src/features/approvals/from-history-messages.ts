export const fromHistoryMessages = {
  region: 'Action',
  back: 'History',
  done: 'Back to History',
} as const;
