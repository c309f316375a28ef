export const messages = {
  once: 'This key is shown only once. Store it now.',
  key: 'Agent key',
  stored: 'I stored the key',
  done: 'Done',
  language: 'Call the gateway with',
  waiting: 'Waiting for the first request…',
  arrived: 'The first request arrived.',
  outcome: {
    forwarded: 'It was forwarded.',
    held: 'It is waiting for your approval.',
    other: 'See what happened to it.',
  },
  see: 'See it in the history',
  seeHeld: 'Review it now',
  hint: 'No request yet. Check that the agent can reach the gateway, that it sends the key in the Agent-Key header, and that the target is under the base URL of one of its services.',
} as const;
