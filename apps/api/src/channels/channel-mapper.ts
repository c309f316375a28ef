import type { Channel, ChannelDelivery } from '#contracts';
import type { ChannelDeliveryEntity, ChannelEntity } from '#database';

/** Converts a stored channel for responses, without its target and secrets. */
export function toChannel(
  channel: ChannelEntity,
  last: ChannelDeliveryEntity | null,
  { nowMs, publicUrl }: { nowMs: number; publicUrl: string | null },
): Channel {
  const { previousSecretExpiresAt: expiry } = channel;
  return {
    id: channel.id,
    type: channel.type,
    name: channel.name,
    scope: channel.userId === null ? 'workspace' : 'me',
    target: channel.targetHint,
    slackApp: channel.isBot ? { requestUrl: publicUrl && `${publicUrl}/hooks/slack/${channel.id}` } : null,
    decideBelowRisk: channel.decideBelowRisk,
    minRisk: channel.minRisk,
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
    previousSecretExpiresAt: expiry !== null && expiry.getTime() > nowMs ? expiry.toISOString() : null,
    lastDelivery: last && toChannelDelivery(last),
    createdAt: channel.createdAt.toISOString(),
    updatedAt: channel.updatedAt.toISOString(),
  };
}

export function toChannelDelivery(delivery: ChannelDeliveryEntity): ChannelDelivery {
  const { actionId } = delivery.about;
  return {
    id: delivery.id,
    type: delivery.type,
    actionId: typeof actionId === 'string' ? actionId : null,
    occurredAt: delivery.occurredAt.toISOString(),
    state: delivery.state,
    attempts: delivery.attempts,
    lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
    tookMs: delivery.tookMs,
    // During an attempt, the column contains the end of the lease, which is internal.
    nextAttemptAt: delivery.claimId === null ? (delivery.nextAttemptAt?.toISOString() ?? null) : null,
  };
}
