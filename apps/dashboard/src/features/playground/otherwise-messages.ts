import type { Effect } from '#contracts/effects';
import { conditionMessages } from '../../components/rule-sentence/condition-messages.js';
import { now } from '../../lib/clock.js';
import { score, untilTime } from '../../lib/format.js';

const list = new Intl.ListFormat('en', { type: 'conjunction' });
const or = new Intl.ListFormat('en', { type: 'disjunction' });

export const otherwiseMessages = {
  title: 'What would change the decision',
  rule: (name: string) => `rule “${name}”`,
  limit: (name: string) => `limit “${name}”`,
  usedUp: (name: string, resetsAt: string) => `limit “${name}” (used up until ${untilTime(resetsAt, now())})`,
  tooLittle: (name: string, resetsAt: string) =>
    `limit “${name}” (too little is left until ${untilTime(resetsAt, now())})`,
  step: (rules: readonly string[], asked: readonly Effect[], then: string) => {
    const without = rules.length > 0 ? `Without ${list.format(rules)}` : '';
    const words = asked.map((effect) => conditionMessages.effects[effect]);
    const notAsked = words.length > 0 ? `if people were not asked about what ${or.format(words)}` : '';
    const start = [without, notAsked].filter((part) => part !== '').join(', and ');
    return `${start.charAt(0).toUpperCase()}${start.slice(1)}, ${then}.`;
  },
  decided: {
    forward: (by: string) => `${by} would forward it`,
    hold: (by: string) => `${by} would hold it for approval`,
    deny: (by: string) => `${by} would refuse it`,
  },
  asked: 'people would be asked about what it does',
  score: {
    always: 'it would be forwarded, whatever score the model gives',
    never: 'it would be held, whatever score the model gives',
    below: (limit: number) => `the score would decide: forwarded if the model gives less than ${score(limit)}`,
  },
  noMatch: (name: string, opposites: readonly string[]) => `Rule “${name}” would not match if ${or.format(opposites)}.`,
  wouldDecide: {
    forward: (name: string, condition: string) => `Rule “${name}” would forward it if ${condition}.`,
    hold: (name: string, condition: string) => `Rule “${name}” would hold it for approval if ${condition}.`,
    deny: (name: string, condition: string) => `Rule “${name}” would refuse it if ${condition}.`,
  },
  distance: {
    above: (distance: number, threshold: number) =>
      `The score is ${score(distance)} above the threshold. Below ${score(threshold)} the request would be forwarded.`,
    below: (distance: number, threshold: number) =>
      `The score is ${score(distance)} below the threshold. From ${score(threshold)} on the request would be held.`,
  },
  model: {
    above: (gave: number, limit: number) =>
      `The model gave ${score(gave)}. With less than ${score(limit)} the request would be forwarded.`,
    below: (gave: number, limit: number) =>
      `The model gave ${score(gave)}. From ${score(limit)} on the request would be held.`,
  },
  noAnswer: 'The model gave no usable answer. If it did, its score would decide.',
} as const;
