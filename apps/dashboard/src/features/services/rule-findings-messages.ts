import type { RuleEffect } from '#contracts/states';
import { number } from '../../lib/format.js';
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
  more: (count: number) => `and ${number(count)} more`,
} as const satisfies Record<string, unknown> & { steps: Partial<Record<RuleEffect | 'askFor' | 'score', string>> };
