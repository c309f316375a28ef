import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { NOTE_MAX, TARGET_URL_MAX } from './limits.js';
import { HTTP_METHODS, type HttpMethod } from './states.js';
import { AtLeastOneOf, IsMissable, IsStringMap } from './validation.js';

export class DecisionRequest {
  /** The agent receives the note of a denial. */
  @ApiPropertyOptional({ maxLength: NOTE_MAX, nullable: true, type: String })
  @IsOptional()
  @IsString()
  @MaxLength(NOTE_MAX)
  note?: string | null;
}

export class ApprovalRequest extends DecisionRequest {
  /** The `digest` of the action that the approver saw. If the digest has changed since, the answer is 409. */
  @ApiPropertyOptional({ pattern: '^[0-9a-f]{64}$' })
  @IsOptional()
  @Matches(/^[0-9a-f]{64}$/, { message: 'must be 64 hexadecimal digits' })
  digest?: string;
}

export class ApproveActionRequest extends ApprovalRequest {
  /**
   * Where the person approves, if not in the dashboard. From a notification it is allowed only below
   * `approveInNotificationsBelow` of the workspace, and with `digest`.
   */
  @ApiPropertyOptional({ enum: ['notification'] })
  @IsMissable()
  @IsIn(['notification'])
  from?: 'notification';
}

/** The changes to a request before its approval. Fields that are left out keep their values. */
export class ReviseActionRequest extends ApprovalRequest {
  @ApiPropertyOptional({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  @AtLeastOneOf(['method', 'targetUrl', 'headers', 'body'])
  @IsMissable()
  @IsIn(HTTP_METHODS)
  method?: HttpMethod;

  /** A URL of the same service. */
  @ApiPropertyOptional({ format: 'uri', maxLength: TARGET_URL_MAX })
  @IsMissable()
  @IsString()
  @MaxLength(TARGET_URL_MAX)
  targetUrl?: string;

  /** All headers to send. Authentication, cookie and hop-by-hop headers are dropped. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string' } })
  @IsMissable()
  @IsStringMap()
  headers?: Record<string, string>;

  /** The whole body as text; null: no body. */
  @ApiPropertyOptional({ nullable: true, type: String })
  @IsOptional()
  @IsString()
  body?: string | null;
}

/** The request that a revised action sends, in place of the agent's own request. */
export class RevisedRequest {
  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  method: HttpMethod;

  @ApiProperty()
  targetUrl: string;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  headers: Record<string, string>;

  /** Null if there is none, or if it is not text. */
  @ApiProperty({ nullable: true, type: String })
  body: string | null;
}
