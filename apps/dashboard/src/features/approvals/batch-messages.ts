import { plural } from '../../lib/format.js';

const times = (count: number, headline: string): string => (count === 1 ? headline : `${headline}, ${count} times`);

export const batchMessages = {
  region: 'Selected requests',
  count: (count: number, rows: number) =>
    `${count} selected${rows < count ? ` in ${plural(rows, 'row', 'rows')}` : ''}`,
  deny: (count: number) => `Deny ${count}`,
  approve: (count: number, identical: boolean) => `Approve ${count}${identical && count > 1 ? ' identical' : ''}`,
  blocked: (reason: string) => `${reason}. The selected requests can’t be approved.`,
  nothing: 'Select requests in the list.',
  onlyIdentical: 'Only requests that send the same, with the same intent, can be approved together.',
  times,
  confirm: (count: number, headline: string) => `Confirm: ${times(count, headline)}`,
  approved: 'approved',
  denied: 'denied',
  done: (decided: number, word: string) => `${plural(decided, 'request', 'requests')} ${word}.`,
  lost: (count: number) => `${plural(count, 'request has', 'requests have')} changed, or someone else decided first.`,
  undone: (count: number) =>
    `${plural(count, 'approval', 'approvals')} undone. ${count === 1 ? 'The request waits' : 'The requests wait'} again.`,
  withdrawn: (count: number) =>
    `${plural(count, 'approval', 'approvals')} withdrawn. ${count === 1 ? 'The request is' : 'The requests are'} denied.`,
  tooLate: (count: number) =>
    `${plural(count, 'approval', 'approvals')} could not be taken back: already used by the agent or no longer valid.`,
  stillInForce: (count: number, reason: string) =>
    `${plural(count, 'approval is', 'approvals are')} still valid. ${reason}`,
  noneLeft: 'There is nothing left to undo.',
} as const;
