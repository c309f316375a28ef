import { number } from '../../lib/format.js';

export const timelineMessages = {
  digest: 'Digest of what would be sent:',
  asked: 'Requested',
  askedAgain: (times: number) => `Requested ${number(times)} times`,
  polled: 'Agent last checked',
  expires: 'Expires if not decided',
  expired: 'Expired without a decision',
  runExpired: 'Approved but not run in time',
  approved: (name: string) => `Approved by ${name}`,
  denied: (name: string) => `Denied by ${name}`,
  runBy: 'Agent must run it by',
  executed: (status: number) => `Executed: the upstream responded with ${status}`,
  gave: (name: string) => `${name} gave an approval`,
  revised: (name: string) => `Revised by ${name}`,
} as const;
