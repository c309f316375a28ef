import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ACTION_STATUSES, EVENT_TYPES, type ActionStatus, type EventType } from './states.js';

/** The data of a server-sent event: that something changed. What it is now, the reader fetches. */
export class GatewayEvent {
  @ApiProperty({ enum: EVENT_TYPES, enumName: 'EventType' })
  type: EventType;

  /** Of the action (UUID), service, agent or session (UUID); `callback.updated`: of the agent whose callback, or a delivery of it, changed. */
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'integer' }] })
  id: string | number;

  /** Of an action: its status now. */
  @ApiPropertyOptional({ enum: ACTION_STATUSES, enumName: 'ActionStatus' })
  status?: ActionStatus;
}
