import { number, plural } from '../../lib/format.js';
import { headerMessages } from './header-messages.js';

/** The same as the most refusals that a resumption counts (`REFUSALS_COUNTED_MAX`). */
const COUNTED_MAX = 10_000;

export const pauseMessages = {
  reason: 'Reason',
  reasonHint: 'One line. Agents see it in the response to every request.',
  why: 'Enter a reason.',
  submit: 'Pause',
  resume: 'Resume',
  by: (name: string, since: string) => `Paused by ${name} ${since}`,
  resumed: (name: string, refused: number) =>
    `${name} was resumed. ${
      refused >= COUNTED_MAX
        ? `At least ${number(COUNTED_MAX)} requests were refused.`
        : `${refused === 0 ? 'No requests were' : plural(refused, 'request was', 'requests were')} refused.`
    }`,
  workspace: {
    ...headerMessages,
    resume: 'Resume all agents',
    title: (name: string) => `Pause all agents in ${name}`,
    suggested: 'A person looks into it',
    lead: 'From the next one on, each request gets 403. Running streams end. You can still approve and deny requests.',
    refused: 'Agents get 403 for every request.',
  },
  service: {
    title: 'Pause',
    lead: 'Agents get 403 for every request to this service, from the next one on.',
    pause: 'Pause this service',
    heading: (name: string) => `Pause ${name}`,
    refused: 'Agents get 403 for every request to it.',
    optional: 'Without a reason, agents see the name of the service.',
  },
} as const;
