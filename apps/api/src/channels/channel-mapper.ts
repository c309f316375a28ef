import type { Channel, ChannelDelivery } from '#contracts';
import type { ChannelDeliveryEntity, ChannelEntity } from '#database';
import { shownDelivery } from '../outbox/delivery-page.js';
import { previousSecretExpiry } from '../outbox/signing-secrets.js';

/** Converts a stored channel for responses, without its target and secrets. */
export function toChannel(
  channel: ChannelEntity,
  last: ChannelDeliveryEntity | null,
  { nowMs, publicUrl }: { nowMs: number; publicUrl: string | null },
): Channel {
  return {
    id: channel.id,
    type: channel.type,
    name: channel.name,
    scope: channel.userId === null ? 'workspace' : 'me',
    target: channel.targetHint,
    slackApp: channel.isBot ? { requestUrl: publicUrl && `${publicUrl}/hooks/slack/${channel.id}` } : null,
    decideBelowRisk: channel.decideBelowRisk,
    minRisk: channel.minRisk,
    effects: channel.effects,
    serviceIds: channel.serviceIds,
    events: channel.events,
    // Earlier versions stored quiet hours of webhooks, and ignored them.
    quietHours: channel.type === 'webhook' ? null : channel.quietHours,
    remindAfterMinutes: channel.remindAfterMinutes,
    escalateAfterMinutes: channel.escalateAfterMinutes,
    escalateTo: channel.escalateTo,
    isActive: channel.isActive,
    disabledReason: channel.disabledReason,
    failingSince: channel.failingSince?.toISOString() ?? null,
    previousSecretExpiresAt: previousSecretExpiry(channel, nowMs),
    lastDelivery: last && toChannelDelivery(last),
    createdAt: channel.createdAt.toISOString(),
    updatedAt: channel.updatedAt.toISOString(),
  };
}

export function toChannelDelivery(delivery: ChannelDeliveryEntity): ChannelDelivery {
  const { actionId, summary } = delivery.about;
  const { nextAttemptAt, ...shown } = shownDelivery(delivery, textOrNull(actionId));
  return { ...shown, summary: textOrNull(summary), tookMs: delivery.tookMs, nextAttemptAt };
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
