export const takeBackMessages = {
  undo: 'Undo',
  deny: 'Deny instead',
  undone: (summary: string) => `Approval undone. The request waits again: ${summary}`,
  denied: (summary: string) => `Approval withdrawn, so the request is denied: ${summary}`,
  countsIn: (seconds: number) => `The agent learns of it in ${seconds} s.`,
  running: 'The agent is running it now.',
  alreadyRun: 'The agent has already run it.',
  tooLate: 'The agent has run it or is running it, so the approval can’t be taken back.',
  tooLateButRule: 'The agent has run it or is running it, so the approval can’t be taken back. The rule was removed.',
  ruleRemoved: '. The rule that allowed similar requests is removed.',
  ruleMade: 'Similar requests are allowed by the rule',
} as const;
