import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ACTION_STATUSES, EVENT_TYPES, type ActionStatus, type EventType } from './states.js';

/** The data of a server-sent event. It says what changed; the reader fetches the new state. */
export class GatewayEvent {
  @ApiProperty({ enum: EVENT_TYPES, enumName: 'EventType' })
  type: EventType;

  /**
   * The id of the action (UUID), service, agent, channel, session (UUID), personal access token, workspace, or account
   * of a member. For `callback.updated`: the id of the agent whose callback or delivery changed.
   */
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'integer' }] })
  id: string | number;

  /** For an action: its new status. */
  @ApiPropertyOptional({ enum: ACTION_STATUSES, enumName: 'ActionStatus' })
  status?: ActionStatus;
}
