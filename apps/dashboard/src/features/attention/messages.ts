import { day, plural } from '../../lib/format.js';

export const messages = {
  title: 'Needs attention',
  lead: 'What an administrator has to mend. Requests that wait for a decision are under Approvals.',
  list: 'What needs attention',
  nothing: 'Nothing needs attention',
  nothingText: 'Services, agents and channels that need an administrator are listed here.',
  since: 'Since',
  count: (count: number) => (count === 1 ? 'thing to mend' : 'things to mend'),
  moved: (hosts: string) => `It has moved to ${hosts}. Requests fail until somebody confirms its credentials for it.`,
  unconnected: 'It is not connected yet. Requests fail until somebody connects it.',
  lost: 'The provider no longer accepts the connection. Requests fail until somebody reconnects it.',
  missing: (names: string) => `Credentials are missing: ${names}. Requests fail.`,
  certificateEnded: 'The client certificate has expired. Requests fail.',
  certificateEnds: (validTo: string) => `The client certificate expires on ${day(validTo)}.`,
  risen: (rejected: number, answers: number) =>
    `The API has rejected ${rejected} of ${plural(answers, 'request', 'requests')} with the new credentials, more than before.`,
  rejected: (times: number) =>
    `The API has rejected the credentials ${plural(times, 'time', 'times')} in the last 24 hours.`,
  rejectedByTest: 'The API rejected the credentials when they were tested.',
  overdue: 'The credentials are overdue for rotation.',
  callback: (host: string) => `The agent wants callbacks at ${host}, which is not allowed.`,
  failing: 'Notifications do not arrive.',
  disabled: (reason: string) => `The gateway switched this channel off: ${reason}.`,
  mend: {
    confirm: 'Confirm',
    connect: 'Connect',
    reconnect: 'Reconnect',
    credentials: 'Enter credentials',
    replace: 'Replace credentials',
    callback: 'Allow or ignore',
    channel: 'See channel',
  },
} as const;
