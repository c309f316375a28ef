export const messages = {
  once: 'This key is shown once. Store it now: nobody can look it up later.',
  key: 'Agent key',
  stored: 'I stored the key',
  done: 'Done',
  language: 'Call the gateway with',
  waiting: 'Waiting for the first request…',
  arrived: 'The first request arrived.',
  outcome: { forwarded: 'It was forwarded.', held: 'It waits for your approval.', other: 'See what became of it.' },
  see: 'See it in the history',
  seeHeld: 'Decide it now',
  hint: 'Nothing yet. The gateway must be reachable from where the agent runs, the key sent as the header Agent-Key, and the target must lie below the base URL of one of its services.',
} as const;
