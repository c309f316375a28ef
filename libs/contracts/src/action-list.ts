import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsNumber, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { Action } from './actions.js';
import { ID_MAX, PAGE_LIMIT_MAX } from './limits.js';
import { ACTION_STATUSES, HTTP_METHODS, type ActionStatus, type HttpMethod } from './states.js';
import { QueryNumber } from './validation.js';

const ACTION_SORTS = ['newest', 'risk', 'expiry', 'urgent'] as const;
export type ActionSort = (typeof ACTION_SORTS)[number];

const WAITING_FOR = ['me', 'others'] as const;
type WaitingFor = (typeof WAITING_FOR)[number];

export class ListActionsQuery {
  /** Default PENDING. ALL also returns past actions. */
  @ApiPropertyOptional({ enum: [...ACTION_STATUSES, 'ALL'], default: 'PENDING' })
  @IsOptional()
  @IsIn([...ACTION_STATUSES, 'ALL'])
  status?: ActionStatus | 'ALL';

  /** With the status PENDING only. `me`: you may approve and have not yet. `others`: all the rest. */
  @ApiPropertyOptional({ enum: WAITING_FOR })
  @IsOptional()
  @IsIn(WAITING_FOR)
  waitingFor?: WaitingFor;

  @ApiPropertyOptional()
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(ID_MAX)
  agentId?: number;

  @ApiPropertyOptional()
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(ID_MAX)
  serviceId?: number;

  @ApiPropertyOptional({ minimum: 0, maximum: 1 })
  @QueryNumber()
  @IsNumber()
  @Min(0)
  @Max(1)
  minRisk?: number;

  @ApiPropertyOptional({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  @IsOptional()
  @IsIn(HTTP_METHODS)
  method?: HttpMethod;

  /** Searches the URL, the intent, and the names of the agent and the service. */
  @ApiPropertyOptional({ maxLength: 200 })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  q?: string;

  /**
   * `urgent` works with PENDING only. It weighs risk and time left: actions are sorted by the moment when the fraction
   * of the decision time that is left falls to `risk_score`. So a critical action with 50 minutes left comes before a
   * low-risk one with 23 hours left.
   */
  @ApiPropertyOptional({ enum: ACTION_SORTS, default: 'newest' })
  @IsOptional()
  @IsIn(ACTION_SORTS)
  sort?: ActionSort;

  /** `nextCursor` of the previous page. Keep the same filters and order. */
  @ApiPropertyOptional({ maxLength: 200 })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  cursor?: string;

  @ApiPropertyOptional({ minimum: 1, maximum: PAGE_LIMIT_MAX, default: 50 })
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(PAGE_LIMIT_MAX)
  limit?: number;
}

export class ActionPage {
  /**
   * A page can hold fewer than `limit` actions, or none, and still have a `nextCursor`: the gateway reads a limited
   * number of actions per page before it filters them.
   */
  @ApiProperty({ type: [Action] })
  items: Action[];

  /** null on the last page. */
  @ApiProperty({ nullable: true, type: String })
  nextCursor: string | null;
}

export class ActionCounts {
  @ApiProperty()
  pending: number;

  /** The number of pending actions that you may approve and have not approved yet. */
  @ApiProperty()
  waitingForMe: number;

  @ApiProperty()
  approved: number;

  /** When the oldest pending action was created. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  oldestPendingAt: string | null;
}
