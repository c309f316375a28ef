import type { ChannelDeliveryState, ChannelEvent, ChannelType } from '#contracts/channel-states';
import { plural, score } from '../../lib/format.js';
import { sharedMessages } from '../../lib/messages.js';
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
  'approval.requested': 'A request is waiting for a decision',
  'approval.reminder': 'A request is still waiting, and its time is running out',
  'approval.escalated': 'Another channel escalated a request that nobody decided',
  'approval.decided': 'A request was approved or denied, or it expired',
  'approvers.missing': 'Not enough people can approve a request',
  'connection.expired': 'A service must be reconnected',
  'credential.due': 'Credentials are due for rotation',
  'risk.failing': 'The risk model is failing',
  'workspace.paused': 'All agents were paused',
  'workspace.resumed': 'All agents were resumed',
  'login.new': 'Somebody signs in to your account from a new place',
  'approval.updated': 'Message updated',
  'approval.digest': 'Digest of several notifications',
  'channel.test': 'Test',
  'channel.disabled': 'A channel was turned off',
  'channel.failing': 'A channel is failing',
};

/** The short name of an event in a list. */
const eventNames: Record<ChannelEvent, string> = {
  ...events,
  'approval.requested': 'Waiting',
  'approval.reminder': 'Reminder',
  'approval.escalated': 'Escalation',
  'approval.decided': 'Decided',
  'approval.digest': 'Digest',
  'approvers.missing': 'Approvers missing',
  'connection.expired': 'Connection lost',
  'credential.due': 'Credentials due',
  'risk.failing': 'Risk model is failing',
  'workspace.paused': 'Paused',
  'workspace.resumed': 'Resumed',
  'login.new': 'New sign-in',
};

const states: Record<ChannelDeliveryState, string> = {
  waiting: 'delayed',
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
  lead: 'Get notified when a request is waiting for a decision. Each notification links to the request.',
  notForAuditors: 'Only approvers, administrators and owners get notifications',
  notForAuditorsText: 'Auditors can’t approve requests, so they get no notifications.',
  mine: {
    title: 'For you',
    none: 'You have no channels yet.',
    noneText: 'Add your e-mail or an ntfy topic, and press “Send test” to see that it works.',
  },
  workspace: {
    title: 'For the workspace',
    lead: 'Everybody who reads the channel sees these notifications. Administrators manage them.',
    none: 'The workspace has no channel yet.',
    noneText:
      'Create an incoming webhook in Slack, Teams or Discord, and paste its URL here. For Slack, you can also use an app.',
  },
  add: (type: ChannelType) => `Add ${type === 'email' ? 'e-mail' : type === 'webhook' ? 'webhook' : types[type]}`,
  otherDevices: 'Your other devices',
  card: {
    here: 'This device',
    off: 'Off',
    failing: 'Failing',
    active: (name: string) => `Notifications of ${name}`,
    disabledBy: (reason: string) =>
      `${reason}, so the gateway turned the channel off. Correct it, then turn it on again.`,
    deviceEnded: (reason: string) =>
      `${reason}, so the gateway turned the device off. Open this page on that device to turn it on again, or delete it.`,
    risk: (risk: number) =>
      risk === 0 ? 'All risks' : `Risk ${score(risk)} or higher (${sharedMessages.risk[riskWord(risk)].toLowerCase()})`,
    always: (effects: string, hasQuietHours: boolean) =>
      `Whatever the risk${hasQuietHours ? ', in quiet hours too' : ''}: ${effects}`,
    allServices: 'all services',
    services: (names: readonly string[]) => names.join(', '),
    goneService: 'a deleted service',
    quiet: (from: string, to: string, zone: string) =>
      `Quiet from ${from} to ${to} (${zone}), unless the risk is critical`,
    remind: (after: number) => `Reminds after ${minutes(after)}`,
    remindDefault: 'Reminds when 20% of the time is left',
    escalate: (after: number, to: string) => `Also notifies “${to}” if nobody decides within ${minutes(after)}`,
    goneChannel: 'another channel',
    decides: (risk: number) => `Members can decide in Slack below a risk of ${score(risk)}`,
    requestUrl: (url: string) => `Request URL for Slack: ${url}`,
    bothSecrets: (left: string) => `Also signed with the previous secret for another ${left}`,
    never: 'Nothing sent yet',
    delivered: (when: string) => `Delivered ${when}`,
    failed: (since: string, why: string) => `Failing since ${since}${why === '' ? '' : `: ${why}`}`,
    sending: 'Sending now',
    withdrawn: (when: string) => `Tried ${when}, and no longer needed`,
    answered: (status: number) => `the receiver answered ${status}`,
    test: 'Send test',
    testIt: (name: string) => `Send test to ${name}`,
    testOff: 'Switch the channel on to test it.',
    deliveries: 'Deliveries',
    deliveriesFor: (name: string) => `Deliveries of ${name}`,
    edit: 'Edit',
    editIt: (name: string) => `Edit ${name}`,
    rotate: 'Rotate secret',
    rotateIt: (name: string) => `Rotate secret of ${name}`,
    remove: 'Delete',
    removeIt: (name: string) => `Delete ${name}`,
  },
  noMail: {
    channel: (administers: boolean) =>
      `This gateway sends no mail, so an e-mail channel can’t be added. ${
        administers ? 'Set' : 'Ask the operator of this gateway to set'
      } SMTP_URL and MAIL_FROM, and restart the gateway.`,
    stopped: (administers: boolean) =>
      `This gateway sends no mail any more, so this channel gets nothing. ${
        administers ? 'Set' : 'Ask the operator of this gateway to set'
      } SMTP_URL and MAIL_FROM, and restart the gateway.`,
  },
  form: {
    create: (type: ChannelType) => `New channel: ${types[type]}`,
    edit: (name: string) => `Edit ${name}`,
    name: 'Name',
    url: 'URL',
    keep: (target: string) => `Leave it empty to keep ${target}`,
    help: {
      email: (address: string) => `E-mails go only to ${address}, the address of your account.`,
      ntfy: 'In the ntfy app, subscribe to a topic with a name that nobody can guess, and paste its URL.',
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
    app: {
      choice: 'Send to Slack through',
      webhook: 'Incoming webhook',
      app: 'App',
      help: 'An app replaces its message when a request is decided: “Approved by Ana, 12 s”. Create it on api.slack.com/apps with the scope chat:write, install it, and invite it to the channel.',
      keep: (target: string) =>
        `Leave all three empty to keep them: ${target}. If you enter new ones, people must link their Slack users again.`,
      fields: {
        botToken: { label: 'Bot token', help: 'In the app under OAuth & Permissions.', placeholder: 'xoxb-…' },
        signingSecret: { label: 'Signing secret', help: 'In the app under Basic Information.', placeholder: '' },
        slackChannel: {
          label: 'Channel ID',
          help: 'In Slack, at the end of the channel’s details.',
          placeholder: 'C0123456789',
        },
      },
      missing: 'Enter all three.',
      decide: 'Decide in Slack',
      decideHelp:
        'Requests below this risk get buttons. Slack must be able to call this gateway: in the Slack app, enter the request URL that the channel shows.',
      decideOwners: 'Requests below this risk get buttons. Only owners can turn them on.',
      decides: (risk: number | null) => (risk === null ? 'Off' : `Below ${score(risk)}`),
    },
    risk: 'Minimum risk',
    riskWords: (risk: number) =>
      risk === 0 ? 'All risks' : `From ${score(risk)} (${sharedMessages.risk[riskWord(risk)].toLowerCase()})`,
    effects: 'Always notify about',
    effectsHint: 'Requests that do this are sent whatever their risk.',
    effectsQuietHint: 'Requests that do this are sent whatever their risk, in quiet hours too.',
    services: 'Services',
    servicesHint: 'Leave it empty for all services.',
    allServices: 'All services',
    events: 'Events',
    noEvents: 'Choose at least one.',
    quiet: 'Quiet hours',
    quietHint:
      'During these hours, only critical risks and what you always want to know are sent. The rest follows in one digest.',
    from: 'From',
    to: 'To',
    timeZone: 'Time zone',
    sameTime: 'Must differ from the start.',
    remind: 'Reminder',
    reminds: (after: number | null) => (after === null ? 'When 20% of the time is left' : `After ${minutes(after)}`),
    escalate: 'Also notify another channel',
    escalates: (after: number | null) => (after === null ? 'Never' : `If nobody decides within ${minutes(after)}`),
    escalateTo: 'The other channel',
    noOther: 'There is no other channel to notify.',
    choose: 'Choose a channel.',
    submit: 'Add channel',
    save: 'Save',
    saved: 'Saved.',
    added: (name: string) => `${name} was added. Press “Send test” to see that it works.`,
  },
  slack: {
    title: 'Link your Slack user',
    asks: 'Slack user',
    id: 'ID',
    channel: 'Channel',
    account: 'Your account',
    warning:
      'This Slack account will approve and deny requests as you. Continue only if you pressed a button in Slack yourself, a moment ago, and this is you.',
    submit: 'Link this Slack account',
    done: 'Your Slack account is linked. Press the button in Slack again.',
    links: 'Slack accounts that decide as you',
    since: (channel: string, day: string) => `${channel}, since ${day}`,
    end: 'Unlink',
    endIt: (name: string) => `Unlink ${name}`,
    ended: 'Unlinked.',
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    text: 'The channel sends no more notifications. Unsent ones are discarded, and its list of deliveries is deleted.',
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
    rotateAgain: 'The previous secret, which is still valid, stops working immediately.',
    rotateSubmit: 'Rotate now',
    rotated: 'The secret was rotated. Notifications are signed with both secrets for 24 hours.',
  },
  deliveries: {
    title: (name: string) => `Deliveries of ${name}`,
    lead: 'From the last 30 days.',
    none: 'Nothing sent yet',
    noneText: 'Press “Send test” to try the channel.',
    took: 'Duration',
    action: 'Open request',
    states,
  },
} as const;
