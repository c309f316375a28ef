import { isAtLeast, type Role } from './states.js';

/**
 * Ways to notify people. The personal ones are about decisions and go to one person; the others belong to a workspace.
 */
export const PERSONAL_CHANNEL_TYPES = ['email', 'webpush', 'ntfy'] as const;
export const WORKSPACE_CHANNEL_TYPES = ['slack', 'teams', 'discord', 'webhook'] as const;
export const CHANNEL_TYPES = [...PERSONAL_CHANNEL_TYPES, ...WORKSPACE_CHANNEL_TYPES] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** The events that a channel can choose. */
export const CHANNEL_EVENTS = [
  'approval.requested',
  'approval.reminder',
  'approval.escalated',
  'approval.decided',
  'approvers.missing',
  'connection.expired',
  'credential.due',
  'risk.failing',
  'workspace.paused',
  'workspace.resumed',
  'login.new',
] as const;
/**
 * Events that are sent whatever a channel chose: `approval.updated` replaces messages, and `channel.…` is about the
 * channels themselves.
 */
export const CHANNEL_OWN_EVENTS = [
  'approval.digest',
  'approval.updated',
  'channel.test',
  'channel.disabled',
  'channel.failing',
] as const;
export type ChannelEvent = (typeof CHANNEL_EVENTS)[number] | (typeof CHANNEL_OWN_EVENTS)[number];

/**
 * `waiting`: may become part of a digest · `pending`: not delivered yet, possibly after failed attempts · `bundled`:
 * sent in a digest · `withdrawn`: decided before it was sent.
 */
export const CHANNEL_DELIVERY_STATES = ['waiting', 'pending', 'delivered', 'failed', 'withdrawn', 'bundled'] as const;
export type ChannelDeliveryState = (typeof CHANNEL_DELIVERY_STATES)[number];

/** Of these events, only people with this role or a higher one are notified. The function `may_hear` is the same. */
const LEAST_ROLES: Partial<Record<ChannelEvent, Role>> = {
  'approvers.missing': 'owner',
  'connection.expired': 'admin',
  'credential.due': 'admin',
  'risk.failing': 'admin',
};

/** Whether the channel of a person with this role gets such an event. Those of a workspace get all. */
export const hears = (role: Role, event: ChannelEvent): boolean => isAtLeast(role, LEAST_ROLES[event] ?? 'approver');

/** The events that a channel of this type can choose. Only the person who signed in gets sign-ins. */
export const selectableEvents = (type: ChannelType): (typeof CHANNEL_EVENTS)[number][] =>
  CHANNEL_EVENTS.filter(
    (event) => event !== 'login.new' || PERSONAL_CHANNEL_TYPES.some((personal) => personal === type),
  );
