import type { ChannelDeliveryState, ChannelEvent, ChannelType } from '#contracts/states';
import { plural, score } from '../../lib/format.js';
import { messages as shared } from '../../lib/messages.js';
import { riskWord } from '../../lib/risk.js';

const minutes = (count: number): string =>
  count % 60 === 0 ? plural(count / 60, 'hour', 'hours') : plural(count, 'minute', 'minutes');

const types: Record<ChannelType, string> = {
  email: 'E-mail',
  webpush: 'Device',
  ntfy: 'ntfy',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  webhook: 'Webhook',
};

const events: Record<ChannelEvent, string> = {
  'approval.requested': 'A request waits for a decision',
  'approval.reminder': 'It still waits, and its time is running out',
  'approval.escalated': 'Nobody has decided, and another channel passes it on',
  'approval.decided': 'A request was approved or denied, or has expired',
  'approval.updated': 'Message brought up to date',
  'approval.digest': 'Several at once',
  'channel.test': 'Test',
  'channel.disabled': 'A channel was switched off',
  'channel.failing': 'A channel fails',
};

/** How an event is called in a list. */
const eventNames: Record<ChannelEvent, string> = {
  ...events,
  'approval.requested': 'Waits',
  'approval.reminder': 'Reminder',
  'approval.escalated': 'Escalation',
  'approval.decided': 'Decided',
  'approval.digest': 'Digest',
};

const states: Record<ChannelDeliveryState, string> = {
  waiting: 'collected',
  pending: 'waiting',
  delivered: 'delivered',
  failed: 'failed',
  withdrawn: 'not needed',
  bundled: 'in a digest',
};

export const messages = {
  types,
  events,
  eventNames,
  lead: 'Be told when a request waits for a decision. Nobody decides in a channel: it leads to this dashboard.',
  notForAuditors: 'Approvers and administrators can be notified',
  notForAuditorsText: 'Auditors don’t decide about requests, so there is nothing to tell them.',
  mine: {
    title: 'For you',
    none: 'You have no channel yet.',
    noneText: 'Add your e-mail or a topic of ntfy, and press “Send test” to see that it works.',
  },
  workspace: {
    title: 'For the workspace',
    lead: 'Everybody who reads the channel sees these notifications. Administrators manage them.',
    none: 'The workspace has no channel yet.',
    noneText: 'Create an incoming webhook in Slack, Teams or Discord, and paste its URL here.',
  },
  add: (type: ChannelType) => `Add ${type === 'email' ? 'e-mail' : type === 'webhook' ? 'webhook' : types[type]}`,
  otherDevices: 'Your other devices',
  card: {
    here: 'This device',
    off: 'Off',
    failing: 'Failing',
    active: (name: string) => `Notifications of ${name}`,
    disabledBy: (reason: string) =>
      `${reason}, so the gateway switched the channel off. Correct it, then switch it on again.`,
    deviceEnded: (reason: string) =>
      `${reason}, so the gateway switched the device off. Open this page there to turn it on again, or delete it.`,
    risk: (risk: number) =>
      risk === 0 ? 'All risks' : `Risks from ${score(risk)} (${shared.risk[riskWord(risk)].toLowerCase()})`,
    allServices: 'all services',
    services: (names: readonly string[]) => names.join(', '),
    goneService: 'a deleted service',
    quiet: (from: string, to: string, zone: string) =>
      `Quiet from ${from} to ${to} (${zone}), unless the risk is critical`,
    remind: (after: number) => `Reminds after ${minutes(after)}`,
    remindDefault: 'Reminds when a fifth of the time is left',
    escalate: (after: number, to: string) => `Tells “${to}” too if nobody decides within ${minutes(after)}`,
    goneChannel: 'another channel',
    bothSecrets: (left: string) => `Signed with the previous secret too, for another ${left}`,
    never: 'Nothing was sent yet',
    delivered: (when: string) => `Delivered ${when}`,
    failed: (since: string, why: string) => `Failing since ${since}${why === '' ? '' : `: ${why}`}`,
    sending: 'Sending now',
    withdrawn: (when: string) => `Tried ${when}, and no longer needed`,
    answered: (status: number) => `the receiver answered ${status}`,
    test: 'Send test',
    testIt: (name: string) => `Send test to ${name}`,
    testOff: 'Switch the channel on to test it.',
    deliveries: 'Deliveries',
    deliveriesOf: (name: string) => `Deliveries of ${name}`,
    edit: 'Edit',
    editIt: (name: string) => `Edit ${name}`,
    rotate: 'Rotate secret',
    rotateIt: (name: string) => `Rotate secret of ${name}`,
    remove: 'Delete',
    removeIt: (name: string) => `Delete ${name}`,
  },
  form: {
    create: (type: ChannelType) => `New channel: ${types[type]}`,
    edit: (name: string) => `Edit ${name}`,
    name: 'Name',
    url: 'URL',
    keep: (target: string) => `Leave it empty to keep ${target}`,
    help: {
      email: (address: string) => `Mails go to ${address}, the address of your account, and nowhere else.`,
      ntfy: 'In the ntfy app, subscribe to a topic with a name that nobody guesses, and paste its URL.',
      slack: 'In Slack: Apps, Incoming Webhooks, Add to Slack, choose a channel, and copy the webhook URL.',
      teams:
        'In Teams: the channel’s menu, Workflows, “Post to a channel when a webhook request is received”, and copy the URL.',
      discord: 'In Discord: the channel’s settings, Integrations, Webhooks, New Webhook, Copy Webhook URL.',
      webhook: 'An https URL of your own program. It gets every event as a signed POST (Standard Webhooks).',
    },
    placeholder: {
      ntfy: 'https://ntfy.sh/my-secret-topic',
      slack: 'https://hooks.slack.com/services/…',
      teams: 'https://….logic.azure.com/workflows/…',
      discord: 'https://discord.com/api/webhooks/…',
      webhook: 'https://example.com/hooks/approvals',
    },
    risk: 'Lowest risk',
    riskWords: (risk: number) =>
      risk === 0 ? 'All risks' : `From ${score(risk)} (${shared.risk[riskWord(risk)].toLowerCase()})`,
    services: 'Services',
    servicesHint: 'Leave it empty for all services.',
    allServices: 'All services',
    events: 'What is told',
    noEvents: 'Choose at least one.',
    quiet: 'Quiet hours',
    quietHint: 'Only critical risks are told then. The rest comes in one digest after them.',
    from: 'From',
    to: 'To',
    timeZone: 'Time zone',
    sameTime: 'Must differ from the start.',
    remind: 'Reminder',
    reminds: (after: number | null) =>
      after === null ? 'When a fifth of the time is left' : `After ${minutes(after)}`,
    escalate: 'Tell another channel too',
    escalates: (after: number | null) => (after === null ? 'Never' : `If nobody decides within ${minutes(after)}`),
    escalateTo: 'The other channel',
    noOther: 'There is no other channel to tell.',
    choose: 'Choose a channel.',
    submit: 'Add channel',
    save: 'Save',
    saved: 'Saved.',
    added: (name: string) => `${name} was added. Press “Send test” to see that it works.`,
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    text: 'It tells nothing any more. What was not sent yet is never sent, and its list of deliveries is deleted.',
    submit: 'Delete channel',
    done: (name: string) => `${name} was deleted.`,
  },
  secret: {
    title: (name: string) => `Signing secret of ${name}`,
    label: 'Signing secret',
    once: 'This secret is shown only once. Store it in your program now: it proves that a notification comes from this gateway.',
    stored: 'I stored the secret',
    rotateTitle: (name: string) => `Rotate the signing secret of ${name}?`,
    rotateText:
      'Creates a new secret. For 24 hours notifications are signed with both secrets, so that your program can switch.',
    rotateAgain: 'The secret before the present one stops working at once.',
    rotateSubmit: 'Rotate now',
    rotated: 'The secret was replaced. Both sign for 24 hours.',
  },
  deliveries: {
    title: (name: string) => `Deliveries of ${name}`,
    lead: 'From the last 30 days.',
    none: 'Nothing was sent yet',
    noneText: 'Press “Send test” to try the channel.',
    event: 'Event',
    when: 'When',
    result: 'Result',
    took: 'Took',
    attempts: 'Attempts',
    action: 'Open request',
    states,
    sending: 'sending',
    next: (time: string) => `next attempt in ${time}`,
    nextNow: 'next attempt now',
    answered: (status: number) => `answered ${status}`,
  },
} as const;
