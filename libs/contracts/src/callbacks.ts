import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { makeDeliveryClass, SIGNING_SECRET_SCHEMA } from './deliveries.js';
import { Flag, Text } from './fields.js';
import { CALLBACK_URL_MAX } from './limits.js';
import {
  ACTION_STATUSES,
  CALLBACK_EVENT_TYPES,
  DELIVERY_STATES,
  type ActionStatus,
  type CallbackEventType,
  type DeliveryState,
} from './states.js';

export class PutCallbackRequest {
  /**
   * Must be https; http is allowed only for a host and port in the operator's `CALLBACK_PRIVATE_HOSTS`. No user info in
   * the URL.
   */
  @Text({ format: 'uri', max: CALLBACK_URL_MAX, example: 'https://agent.example.com/callbacks' }, { min: 1 })
  url: string;

  /** false: the gateway sends no callbacks, and the pending ones fail. Default true. */
  @Flag({ optional: true, default: true })
  enabled?: boolean;
}

/** The URL that the gateway notifies when an action of the agent changes. The signing secret is not included. */
export class Callback {
  @ApiProperty({ format: 'uri' })
  url: string;

  @ApiProperty()
  enabled: boolean;

  /** false: no callbacks are sent because the host is not in the agent's `callbackHosts`. */
  @ApiProperty()
  isHostListed: boolean;

  /** Why the gateway disabled the callback; null if it did not. */
  @ApiProperty({ nullable: true, type: String, example: 'The receiver answered 410 Gone' })
  disabledReason: string | null;

  /** After a rotation: until this time, callbacks are also signed with the previous secret. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  previousSecretExpiresAt: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;
}

export class CallbackResponse {
  /** null if the agent has no callback. */
  @ApiProperty({ type: Callback, nullable: true })
  callback: Callback | null;
}

export class SavedCallback {
  @ApiProperty({ type: Callback })
  callback: Callback;

  /**
   * The full signing secret. It is shown only in this response, when the callback is new; null when the callback
   * existed before.
   */
  @ApiProperty({ ...SIGNING_SECRET_SCHEMA, nullable: true, type: String })
  secret: string | null;
}

export class RotatedCallbackSecret {
  @ApiProperty({ type: Callback })
  callback: Callback;

  /**
   * The full new signing secret. It is shown only in this response. The previous one stays valid until
   * `previousSecretExpiresAt`.
   */
  @ApiProperty(SIGNING_SECRET_SCHEMA)
  secret: string;
}

/** The delivery of one event. */
export class CallbackDelivery extends makeDeliveryClass<CallbackEventType, DeliveryState>(
  { enum: CALLBACK_EVENT_TYPES, enumName: 'CallbackEventType' },
  { enum: DELIVERY_STATES, enumName: 'DeliveryState' },
) {
  /** null during an attempt, and once the delivery has succeeded or failed for good. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  nextAttemptAt: string | null;
}

/** Newest first. */
export class CallbackDeliveryPage {
  @ApiProperty({ type: [CallbackDelivery] })
  items: CallbackDelivery[];

  /** null on the last page. */
  @ApiProperty({ nullable: true, type: String })
  nextCursor: string | null;
}

export class CallbackEventData {
  /** null in a test. */
  @ApiProperty({ format: 'uuid', nullable: true, type: String })
  actionId: string | null;

  /** null in a test. */
  @ApiProperty({ enum: ACTION_STATUSES, enumName: 'ActionStatus', nullable: true })
  status: ActionStatus | null;

  /** null if there is no decision. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  decidedAt: string | null;

  /** The approver's note to the agent. */
  @ApiPropertyOptional()
  note?: string;
}

/** The body of a callback. It contains no secrets and no part of the request or its response. */
export class CallbackEvent {
  @ApiProperty({ enum: CALLBACK_EVENT_TYPES, enumName: 'CallbackEventType' })
  type: CallbackEventType;

  /** When the event happened. Callbacks can arrive out of order. */
  @ApiProperty({ format: 'date-time' })
  timestamp: string;

  @ApiProperty({ type: CallbackEventData })
  data: CallbackEventData;
}
