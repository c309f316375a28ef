import { orList, plural } from '../../lib/format.js';
import { ordinal } from './ordinal.js';

export const messages = {
  needs: (count: number) => `Needs ${count} approvals.`,
  given: (name: string, when: string) => `${name} approved ${when}.`,
  next: (people: string, place: number) => `${people} can give the ${ordinal(place)}.`,
  mayApprove: (people: string) => `${people} can approve this.`,
  others: (count: number) => plural(count, 'other person', 'other people'),
  notYou: 'You can’t: a rule names other people, or you made this agent or rotated its key last.',
  missing: (summary: string) => `Too few people may approve this: ${summary}`,
  seeWho: 'See who may approve',
  tooFew: (names: readonly string[]) =>
    `Too few people may approve this${names.length > 0 ? ` (only ${orList(names)})` : ''}. An owner can give more people the role of an approver. Or deny the action, and let an administrator change the rule.`,
} as const;
