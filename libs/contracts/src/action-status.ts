import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RevisedRequest } from './action-decisions.js';
import { StoredResponse } from './proxy.js';

/** The fields of an action that a person revised from another one. */
class RevisedStatus {
  /** The action of the agent's original request. */
  @ApiPropertyOptional({ format: 'uuid' })
  revises?: string;

  @ApiPropertyOptional({ type: RevisedRequest })
  request?: RevisedRequest;

  /** For a revised action: instructions, written for a language model. */
  @ApiPropertyOptional()
  next?: string;
}

export class PendingStatus extends RevisedStatus {
  @ApiProperty({ enum: ['PENDING'] })
  status: 'PENDING';

  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export class ApprovedStatus extends RevisedStatus {
  @ApiProperty({ enum: ['APPROVED'] })
  status: 'APPROVED';

  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ example: '/proxy/execute/7b0c…' })
  execute_url: string;
}

export class DeniedStatus {
  @ApiProperty({ enum: ['DENIED'] })
  status: 'DENIED';

  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  resolved_at: string | null;

  /** The approver's note to the agent. */
  @ApiProperty({ nullable: true, type: String })
  resolution_note: string | null;

  /** The action to execute instead: a person changed the request. */
  @ApiPropertyOptional({ format: 'uuid' })
  revised_as?: string;

  /** For a revised request: instructions, written for a language model. */
  @ApiPropertyOptional()
  next?: string;
}

export class ExpiredStatus {
  @ApiProperty({ enum: ['EXPIRED'] })
  status: 'EXPIRED';

  @ApiProperty({ format: 'uuid' })
  action_id: string;
}

export class ExecutedStatus {
  @ApiProperty({ enum: ['EXECUTED'] })
  status: 'EXECUTED';

  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ type: StoredResponse })
  result: StoredResponse;
}

/** The response of `GET /status/:actionId`. `status` says which of these it is. */
export type StatusResponse = PendingStatus | ApprovedStatus | DeniedStatus | ExpiredStatus | ExecutedStatus;
export const STATUS_RESPONSES = [PendingStatus, ApprovedStatus, DeniedStatus, ExpiredStatus, ExecutedStatus] as const;
