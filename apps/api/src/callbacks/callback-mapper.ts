import {
  listsCallbackHost,
  type ActionStatus,
  type Callback,
  type CallbackDelivery,
  type CallbackEvent,
} from '#contracts';
import type { AgentEntity, CallbackDeliveryEntity, CallbackEntity } from '#database';
import { shownDelivery } from '../outbox/delivery-page.js';
import { previousSecretExpiry } from '../outbox/signing-secrets.js';

/** Converts a stored callback for responses, without its secrets. Responses use nothing else. */
export function toCallback(
  callback: CallbackEntity,
  { callbackHosts }: Pick<AgentEntity, 'callbackHosts'>,
  nowMs: number,
): Callback {
  return {
    url: callback.url,
    enabled: callback.enabled,
    isHostListed: listsCallbackHost(callbackHosts, new URL(callback.url)),
    disabledReason: callback.disabledReason,
    previousSecretExpiresAt: previousSecretExpiry(callback, nowMs),
    createdAt: callback.createdAt.toISOString(),
    updatedAt: callback.updatedAt.toISOString(),
  };
}

export const toDelivery = (delivery: CallbackDeliveryEntity): CallbackDelivery =>
  shownDelivery(delivery, delivery.actionId);

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
