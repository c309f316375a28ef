import { number, plural } from '../../lib/format.js';

/** The same as the most refusals that a resumption counts (`REFUSALS_COUNTED_MAX`). */
const COUNTED_MAX = 10_000;

export const pauseMessages = {
  reason: 'Reason',
  reasonHint: 'One line. Agents get it as the answer to every request.',
  why: 'Enter the reason.',
  submit: 'Pause',
  resume: 'Resume',
  by: (name: string, since: string) => `Paused by ${name} ${since}`,
  resumed: (name: string, refused: number) =>
    `${name} runs again. ${
      refused >= COUNTED_MAX
        ? `${number(COUNTED_MAX)} requests or more were refused.`
        : `${refused === 0 ? 'No requests were' : plural(refused, 'request was', 'requests were')} refused.`
    }`,
  workspace: {
    pause: 'Pause all agents',
    resume: 'Resume all agents',
    title: (name: string) => `Pause all agents of ${name}`,
    lead: 'From the next request on, agents get 403 for everything. Running streams end. People can still decide.',
    refused: 'Agents get 403 for every request.',
  },
  service: {
    title: 'Pause',
    lead: 'Agents get 403 for every request to this service, from the next one on.',
    pause: 'Pause this service',
    heading: (name: string) => `Pause ${name}`,
    refused: 'Agents get 403 for every request to it.',
    optional: 'Without a reason, agents get the name of the service.',
  },
} as const;
