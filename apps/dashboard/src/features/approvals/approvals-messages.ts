import type { ActionApprovals } from '#contracts';
import { orList, plural } from '../../lib/format.js';
import { ordinal } from './ordinal.js';

export const approvalsMessages = {
  needs: (count: number) => `Needs ${count} approvals.`,
  given: (name: string, when: string) => `${name} approved ${when}.`,
  next: (people: string, place: number) => `${people} can give the ${ordinal(place)} approval.`,
  mayApprove: (people: string) => `${people} can approve this.`,
  others: (count: number) => plural(count, 'other person', 'other people'),
  whyNot: {
    role: 'Your role can’t approve.',
    not_named: 'You can’t approve this: a rule names other people.',
    made_agent: 'You can’t approve this: you created this agent, or a key of it that still works.',
  } satisfies Record<NonNullable<ActionApprovals['whyNot']>, string>,
  missing: (headline: string) => `Not enough people can approve this: ${headline}`,
  seeWho: 'See who can approve',
  tooFew: (names: readonly string[]) =>
    `Not enough people can approve this${names.length > 0 ? ` (only ${orList(names)})` : ''}. An owner can make more people approvers. Or deny the request, and ask an administrator to change the rule.`,
} as const;
