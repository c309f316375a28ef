import { number, plural } from '../../lib/format.js';

const nameList = (names: readonly string[]): string => new Intl.ListFormat('en').format(names);

/** Texts about new credentials and their effects. */
export const rotationMessages = {
  impact: {
    nobody: 'No agent can use this service yet, so no requests depend on its credentials.',
    users: (names: readonly string[], more: number) =>
      `${nameList(more > 0 ? [...names, plural(more, 'more agent', 'more agents')] : names)} ${
        names.length + more === 1 ? 'uses' : 'use'
      } this service.`,
    requests: (count: number) => `${plural(count, 'request', 'requests')} in the last 24 hours.`,
    fails: 'If the new credentials do not work, these requests fail.',
    failsReconnect: 'If you sign in with another account or allow fewer scopes, these requests can fail.',
  },
  grace: {
    label: 'Keep the old credentials for',
    hint: 'Until then, you can revert to them. Choose “Not at all” if they have leaked.',
    hours: { 0: 'Not at all', 1: '1 hour', 24: '24 hours', 168: '7 days' } as Record<number, string>,
  },
  kept: (until: string) =>
    `The old credentials are kept until ${until}. Until then, you can revert to them on this page.`,
  notKept: 'The old credentials were deleted.',
  previous: {
    title: 'Previous credentials',
    keptUntil: 'Kept, encrypted, until',
    left: (text: string) => `(${text} left)`,
  },
  revert: {
    button: 'Revert',
    title: (service: string) => `Revert the credentials of ${service}?`,
    text: 'From the next request, agents use the previous credentials again. The current credentials are deleted.',
    confirm: 'Revert credentials',
    done: 'The previous credentials are in use again.',
  },
  risen: {
    text: (rejected: number, answers: number, rejectedBefore: number, answersBefore: number) =>
      `Since the credentials were replaced, the API rejected ${number(rejected)} of the latest ${plural(answers, 'request', 'requests')} with 401 or 403. Before, it rejected ${number(rejectedBefore)} of ${number(answersBefore)}.`,
    chip: 'more rejections',
    nothingKept: 'No previous credentials are kept. Rotate again, or ask the provider of the API.',
  },
  reconnect: {
    title: (service: string) => `Reconnect ${service}?`,
    text: (host: string) => `You sign in at ${host} and allow access again.`,
    meanwhile:
      'Until then, agents keep using the current connection. If you cancel, nothing changes. After you reconnect, you can revert for 24 hours.',
    confirm: (host: string) => `Sign in at ${host}`,
  },
  reminder: {
    title: 'Reminder',
    lead: 'The list of services and the status page show when rotation is due. The credentials keep working after that date.',
    label: 'Rotate the credentials',
    never: 'No reminder',
    every: (days: number) => (days === 365 ? 'Every year' : `Every ${plural(days, 'day', 'days')}`),
    due: 'Due',
    dueIn: (text: string) => `(in ${text})`,
    overdueFor: (text: string) => `(${text} overdue)`,
    save: 'Save reminder',
    saved: 'Reminder saved.',
    removed: 'Reminder removed.',
  },
  state: {
    due: (text: string) => `rotate within ${text}`,
    overdue: (text: string) => `rotation ${text} overdue`,
  },
  filter: {
    label: 'Rotation due',
    noneFound: 'No credentials are due for rotation within 7 days.',
  },
} as const;
