import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { CALLBACK_URL_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from './limits.js';
import {
  ACTION_STATUSES,
  CALLBACK_EVENT_TYPES,
  DELIVERY_STATES,
  type ActionStatus,
  type CallbackEventType,
  type DeliveryState,
} from './states.js';
import { IsMissable, QueryNumber } from './validation.js';

export class PutCallbackRequest {
  /** https; http only for a host and port of the operator's `CALLBACK_PRIVATE_HOSTS`. No user information. */
  @ApiProperty({ format: 'uri', maxLength: CALLBACK_URL_MAX, example: 'https://agent.example.com/callbacks' })
  @IsString()
  @Length(1, CALLBACK_URL_MAX)
  url: string;

  /** false: nothing is sent, and what waits to be sent is given up. Default true. */
  @ApiPropertyOptional({ default: true })
  @IsMissable()
  @IsBoolean()
  enabled?: boolean;
}

/** Where an agent is told that its actions changed. Its secret is never in it. */
export class Callback {
  @ApiProperty({ format: 'uri' })
  url: string;

  @ApiProperty()
  enabled: boolean;

  /** false: nothing is sent, since its host is not among the agent's `callbackHosts`. */
  @ApiProperty()
  isHostListed: boolean;

  /** Why the gateway itself disabled it. */
  @ApiProperty({ nullable: true, type: String, example: 'The receiver answered 410 Gone' })
  disabledReason: string | null;

  /** While a secret is being rotated: until when requests are signed with the one before too. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  previousSecretExpiresAt: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;
}

export class CallbackResponse {
  /** null: the agent has none. */
  @ApiProperty({ type: Callback, nullable: true })
  callback: Callback | null;
}

const SECRET = { pattern: '^whsec_[A-Za-z0-9+/]{43}=$' };

export class SavedCallback {
  @ApiProperty({ type: Callback })
  callback: Callback;

  /** The signing secret, in full, this once: when the callback is new. null when it was there before. */
  @ApiProperty({ ...SECRET, nullable: true, type: String })
  secret: string | null;
}

export class RotatedCallbackSecret {
  @ApiProperty({ type: Callback })
  callback: Callback;

  /** The new signing secret, in full, this once. The one before stays valid until `previousSecretExpiresAt`. */
  @ApiProperty(SECRET)
  secret: string;
}

/** One event on its way to the receiver. What was sent and what came back are not kept. */
export class CallbackDelivery {
  /** The `webhook-id`, the same on every attempt. */
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: CALLBACK_EVENT_TYPES, enumName: 'CallbackEventType' })
  type: CallbackEventType;

  /** null for a test. */
  @ApiProperty({ format: 'uuid', nullable: true, type: String })
  actionId: string | null;

  /** When what it tells of happened. */
  @ApiProperty({ format: 'date-time' })
  occurredAt: string;

  @ApiProperty({ enum: DELIVERY_STATES, enumName: 'DeliveryState' })
  state: DeliveryState;

  /** Since it was queued, or last redelivered by hand. */
  @ApiProperty()
  attempts: number;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  lastAttemptAt: string | null;

  /** What the receiver answered last; null when no answer came. */
  @ApiProperty({ nullable: true, type: Number })
  lastStatus: number | null;

  /** Why the last attempt failed, in words. */
  @ApiProperty({ nullable: true, type: String })
  lastError: string | null;

  /** null during an attempt, and once it is delivered or given up. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  nextAttemptAt: string | null;
}

export class ListDeliveriesQuery {
  @ApiPropertyOptional({ minimum: 1, maximum: PAGE_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT })
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(PAGE_LIMIT_MAX)
  limit?: number;

  /** `nextCursor` of the page before. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  cursor?: string;
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

  /** null when nobody decided. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  decidedAt: string | null;

  /** What the approver tells the agent. */
  @ApiPropertyOptional()
  note?: string;
}

/** The body of a callback. Never a secret, nor anything of a request or its answer. */
export class CallbackEvent {
  @ApiProperty({ enum: CALLBACK_EVENT_TYPES, enumName: 'CallbackEventType' })
  type: CallbackEventType;

  /** When it happened. Callbacks may come in another order. */
  @ApiProperty({ format: 'date-time' })
  timestamp: string;

  @ApiProperty({ type: CallbackEventData })
  data: CallbackEventData;
}
