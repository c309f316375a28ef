import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { PageLimit, Text } from './fields.js';

/** The secret with which deliveries are signed (Standard Webhooks). */
export const SIGNING_SECRET_SCHEMA = { pattern: '^whsec_[A-Za-z0-9+/]{43}=$' };

/**
 * What every delivery shows. The sent body and the receiver's response are not stored.
 * @param type how the OpenAPI document describes the types of deliveries
 * @param state and their states
 */
export function makeDeliveryClass<Type extends string, State extends string>(
  type: ApiPropertyOptions,
  state: ApiPropertyOptions,
) {
  abstract class Delivery {
    /** The `webhook-id`, the same on every attempt. */
    @ApiProperty({ format: 'uuid' })
    id: string;

    @ApiProperty(type)
    type: Type;

    /** null if it is not about an action. */
    @ApiProperty({ format: 'uuid', nullable: true, type: String })
    actionId: string | null;

    /** When the reported event happened. */
    @ApiProperty({ format: 'date-time' })
    occurredAt: string;

    @ApiProperty(state)
    state: State;

    /** Number of attempts since it was queued or last redelivered manually. */
    @ApiProperty()
    attempts: number;

    @ApiProperty({ format: 'date-time', nullable: true, type: String })
    lastAttemptAt: string | null;

    /** The receiver's last status; for mail, the reply code. null if it did not respond. */
    @ApiProperty({ nullable: true, type: Number })
    lastStatus: number | null;

    /** Why the last attempt failed. */
    @ApiProperty({ nullable: true, type: String })
    lastError: string | null;
  }
  return Delivery;
}

export class ListDeliveriesQuery {
  @PageLimit()
  limit?: number;

  /** `nextCursor` of the previous page. */
  @Text({ optional: true })
  cursor?: string;
}
