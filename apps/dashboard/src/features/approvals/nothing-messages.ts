import { number, plural } from '../../lib/format.js';

export const nothingMessages = {
  waiting: 'Nothing needs your decision.',
  today: (requests: number, held: number) =>
    requests === 0
      ? 'Agents made no requests today.'
      : `Agents made ${plural(requests, 'request', 'requests')} today. ${number(held)} needed approval.`,
  others: 'Nothing is waiting for other people.',
  approved: 'No approved requests waiting to run.',
  approvedText: 'Approved requests stay here until the agent runs them or the approval expires.',
  mine: 'You have not made any decisions today.',
  filtered: 'No requests match these filters.',
  searched:
    'The search looks at titles, URLs, intents, and the names of agents and services. It does not look inside bodies.',
  noAgent: 'There are no agents yet.',
  toSetup: 'Finish setting up',
  history: 'See history',
  toWaiting: 'See waiting requests',
} as const;
