import {
  listsCallbackHost,
  type ActionStatus,
  type Callback,
  type CallbackDelivery,
  type CallbackEvent,
} from '#contracts';
import type { AgentEntity, CallbackDeliveryEntity, CallbackEntity } from '#database';

/** Converts a stored callback for responses, without its secrets. Responses use nothing else. */
export function toCallback(
  callback: CallbackEntity,
  { callbackHosts }: Pick<AgentEntity, 'callbackHosts'>,
  nowMs: number,
): Callback {
  const { previousSecretExpiresAt: expiry } = callback;
  return {
    url: callback.url,
    enabled: callback.enabled,
    isHostListed: listsCallbackHost(callbackHosts, new URL(callback.url)),
    disabledReason: callback.disabledReason,
    previousSecretExpiresAt: expiry !== null && expiry.getTime() > nowMs ? expiry.toISOString() : null,
    createdAt: callback.createdAt.toISOString(),
    updatedAt: callback.updatedAt.toISOString(),
  };
}

export function toDelivery(delivery: CallbackDeliveryEntity): CallbackDelivery {
  return {
    id: delivery.id,
    type: delivery.type,
    actionId: delivery.actionId,
    occurredAt: delivery.occurredAt.toISOString(),
    state: delivery.state,
    attempts: delivery.attempts,
    lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
    // During an attempt, the column contains the end of the lease, which is internal.
    nextAttemptAt: delivery.claimId === null ? (delivery.nextAttemptAt?.toISOString() ?? null) : null,
  };
}

/** The event to send. It is the same for every attempt. */
export function toEvent(
  delivery: Pick<CallbackDeliveryEntity, 'type' | 'actionId' | 'occurredAt' | 'decidedAt' | 'note'>,
): CallbackEvent {
  const status = delivery.actionId === null ? null : (delivery.type.split('.')[1].toUpperCase() as ActionStatus);
  return {
    type: delivery.type,
    timestamp: delivery.occurredAt.toISOString(),
    data: {
      actionId: delivery.actionId,
      status,
      decidedAt: delivery.decidedAt?.toISOString() ?? null,
      ...(delivery.note === null ? {} : { note: delivery.note }),
    },
  };
}
