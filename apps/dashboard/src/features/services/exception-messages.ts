import { plural } from '../../lib/format.js';

export const exceptionMessages = {
  chip: 'exception',
  lifts: 'Lifts',
  gone: (count: number) => `Lifts ${plural(count, 'rule', 'rules')} that no longer exist.`,
  from: 'Made from this request',
  lifted: (count: number) => `${plural(count, 'exception lifts', 'exceptions lift')} it for similar requests`,
  hard: 'hard rule: nothing lifts it',
} as const;
