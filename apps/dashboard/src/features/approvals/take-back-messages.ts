export const withdrawMessages = {
  undo: 'Undo',
  withdraw: 'Withdraw approval',
  withdrawn: (headline: string) => `Approval withdrawn, so the request is denied: ${headline}`,
  alreadyRun: 'The agent has already run it.',
  tooLate: 'The agent has run it or is running it, so the approval can’t be withdrawn.',
  tooLateButRule: 'The agent has run it or is running it, so the approval can’t be withdrawn. The rule was removed.',
  ruleMade: 'Similar requests are allowed by the rule',
} as const;
