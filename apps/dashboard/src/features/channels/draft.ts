import type { Channel, UpdateChannelRequest } from '#contracts';
import { selectableEvents, type ChannelType } from '#contracts/channel-states';
import { whyMessages } from '../../lib/why-messages.js';
import { messages } from './messages.js';

const text = messages.form;
type ChosenEvent = Channel['events'][number];

/** The values that a person enters about a channel. Selects have strings; an empty one is the default. */
export interface ChannelDraft {
  name: string;
  /** Empty on a change: the target stays the same. */
  target: string;
  /** For Slack: whether it is an app instead of an incoming webhook. */
  isApp: boolean;
  botToken: string;
  signingSecret: string;
  slackChannel: string;
  /** Empty: nobody decides in Slack. */
  decideBelow: string;
  minRisk: string;
  effects: Channel['effects'];
  serviceIds: string[];
  events: ChosenEvent[];
  isQuiet: boolean;
  from: string;
  to: string;
  timeZone: string;
  remindAfter: string;
  escalateAfter: string;
  escalateTo: string;
}

/** The defaults of a new channel are those of the gateway (docs/notifications.md#events). */
const CHATTY: readonly ChannelType[] = ['email', 'ntfy'];

export function newDraft(type: ChannelType, timeZone: string): ChannelDraft {
  return {
    name: messages.types[type],
    target: '',
    isApp: false,
    botToken: '',
    signingSecret: '',
    slackChannel: '',
    decideBelow: '',
    minRisk: '0',
    effects: [],
    serviceIds: [],
    events: selectableEvents(type).filter((event) => event !== 'approval.decided' || !CHATTY.includes(type)),
    isQuiet: false,
    from: '22:00',
    to: '07:00',
    timeZone,
    remindAfter: '',
    escalateAfter: '',
    escalateTo: '',
  };
}

export function toChannelDraft(channel: Channel, timeZone: string): ChannelDraft {
  const { quietHours } = channel;
  const draft = newDraft(channel.type, timeZone);
  return {
    ...draft,
    ...quietHours,
    isQuiet: quietHours !== null,
    name: channel.name,
    isApp: channel.slackApp !== null,
    decideBelow: String(channel.decideBelowRisk ?? ''),
    minRisk: String(channel.minRisk),
    effects: channel.effects,
    serviceIds: channel.serviceIds.map(String),
    events: channel.events,
    remindAfter: String(channel.remindAfterMinutes ?? ''),
    escalateAfter: String(channel.escalateAfterMinutes ?? ''),
    escalateTo: String(channel.escalateTo ?? ''),
  };
}

const numberOrNull = (entered: string): number | null => (entered === '' ? null : Number(entered));

const APP_FIELDS = ['botToken', 'signingSecret', 'slackChannel'] as const;

/** Leaves out empty fields, so that they keep their values. */
function toTarget({ isApp, decideBelow, ...draft }: ChannelDraft): UpdateChannelRequest {
  const fields = isApp ? APP_FIELDS : (['target'] as const);
  const entered = fields.map((field) => [field, draft[field].trim()] as const).filter(([, value]) => value !== '');
  return { ...Object.fromEntries(entered), ...(isApp && { decideBelowRisk: numberOrNull(decideBelow) }) };
}

/** All settings, for a new channel or a change. */
export function toChannelSettings(draft: ChannelDraft): UpdateChannelRequest & { name: string } {
  const { from, to, timeZone } = draft;
  const escalateAfterMinutes = numberOrNull(draft.escalateAfter);
  return {
    name: draft.name.trim(),
    ...toTarget(draft),
    minRisk: Number(draft.minRisk),
    effects: draft.effects,
    serviceIds: draft.serviceIds.map(Number),
    events: draft.events,
    quietHours: draft.isQuiet ? { from, to, timeZone: timeZone.trim() } : null,
    remindAfterMinutes: numberOrNull(draft.remindAfter),
    escalateAfterMinutes,
    escalateTo: escalateAfterMinutes === null ? null : numberOrNull(draft.escalateTo),
  };
}

/** The three fields of an app must be given together. */
function appFaults(draft: ChannelDraft, needsTarget: boolean): Partial<Record<keyof ChannelDraft, string>> {
  const missing = APP_FIELDS.filter((field) => draft[field].trim() === '');
  if (missing.length === 0 || (!needsTarget && missing.length === APP_FIELDS.length)) return {};
  return Object.fromEntries(missing.map((field) => [field, text.app.missing]));
}

/** The faults that a person can see and correct, by field. The gateway checks everything again. */
export function findFaults(draft: ChannelDraft, needsTarget: boolean): Partial<Record<keyof ChannelDraft, string>> {
  return {
    ...(draft.name.trim() === '' && { name: whyMessages.name(1) }),
    ...(needsTarget && !draft.isApp && draft.target.trim() === '' && { target: whyMessages.noUrl }),
    ...(draft.isApp && appFaults(draft, needsTarget)),
    ...(draft.events.length === 0 && { events: text.noEvents }),
    ...(draft.isQuiet && draft.from === draft.to && { to: text.sameTime }),
    ...(draft.escalateAfter !== '' && draft.escalateTo === '' && { escalateTo: text.choose }),
  };
}
