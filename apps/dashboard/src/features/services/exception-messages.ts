import { plural } from '../../lib/format.js';

export const exceptionMessages = {
  chip: 'exception',
  editTitle: 'Edit exception',
  kept: 'An exception keeps the limits of the request that it was made from. Only its name and its end can change. To allow something else, use “Allow similar” on another request.',
  lasts: (hours: number) => `In this workspace, exceptions last at most ${plural(hours, 'hour', 'hours')}.`,
  lifts: 'Lifts',
  gone: (count: number) => `Lifts ${plural(count, 'rule', 'rules')} that no longer exist.`,
  from: 'Made from this request',
  lifted: (count: number) => `${plural(count, 'exception lifts', 'exceptions lift')} it for similar requests`,
  hard: 'hard rule: nothing lifts it',
} as const;
