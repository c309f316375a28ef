import type { RuleEffect } from '#contracts/states';
import { number, plural } from '../../lib/format.js';
import { UNMATCHED_DAYS } from './rule-findings.js';

export const ruleFindingsMessages = {
  hiddenBy: 'Hidden by ',
  hiddenText: ', which is stronger and matches whenever this rule does.',
  opposite: 'Says the opposite of ',
  oppositeStronger: ', which decides.',
  oppositeWeaker: '. This rule decides.',
  unmatched: `No request matched in ${UNMATCHED_DAYS} days.`,
  last: 'Last match:',
  order: 'Order of force',
  steps: {
    deny: 'deny',
    limit: 'a limit that is used up',
    require_approval: 'ask',
    allow: 'allow',
    askFor: 'what people are asked about',
    score: 'risk score',
  },
  decides: 'This rule comes here.',
  guidance: 'Guidance decides nothing. The model reads it where the score decides.',
  stronger: 'Stronger rules about some of the same requests:',
  none: 'No stronger rule is about the same requests.',
  together: 'Where ',
  needs: (people: number, more: 'this' | 'other' | null) =>
    ` also matches, a request needs ${plural(people, 'person', 'people')}${
      more === null ? '' : more === 'this' ? ' (this rule asks for most)' : ' (that rule asks for most)'
    }.`,
  bothName: 'Only people whom both rules name may approve it.',
  more: (count: number) => `and ${number(count)} more`,
} as const satisfies Record<string, unknown> & { steps: Partial<Record<RuleEffect | 'askFor' | 'score', string>> };
