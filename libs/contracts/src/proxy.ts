import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { IDEMPOTENCY_KEY_MAX, INTENT_MAX, TARGET_URL_MAX } from './limits.js';
import { HTTP_METHODS, type HttpMethod } from './states.js';
import { IsMissable, IsStringMap } from './validation.js';

export class ProxyRequestBody {
  /** Absolute URL below the `baseUrl` of a service in the agent's scope. */
  @ApiProperty({ format: 'uri', maxLength: TARGET_URL_MAX, example: 'https://api.example.com/v1/customers/42' })
  @IsString()
  @MaxLength(TARGET_URL_MAX)
  targetUrl: string;

  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  @IsIn(HTTP_METHODS)
  method: HttpMethod;

  /** Forwarded, without authentication, cookie and hop-by-hop headers: those are dropped. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string' } })
  @IsOptional()
  @IsStringMap()
  headers?: Record<string, string> | null;

  /** The request body as text. Not on GET and HEAD. */
  @ApiPropertyOptional({ nullable: true, type: String })
  @IsOptional()
  @IsString()
  body?: string | null;

  /** What the agent wants, in plain words: read by the risk assessment, by the approver, and kept in the audit record. */
  @ApiProperty({ minLength: 1, maxLength: INTENT_MAX, example: 'Look up the customer who wrote in' })
  @IsString()
  @Length(1, INTENT_MAX)
  intent: string;

  /** Required for POST and PATCH, unless the `Idempotency-Key` header is there, which takes precedence. */
  @ApiPropertyOptional({ minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX })
  @IsMissable()
  @IsString()
  @Length(1, IDEMPOTENCY_KEY_MAX)
  idempotencyKey?: string;
}

/** The body of a 428: the request is held until a human decides. */
export class HeldResponse {
  @ApiProperty({ example: 'Request requires human approval' })
  error: string;

  @ApiProperty({ example: 428 })
  statusCode: number;

  @ApiProperty({ format: 'uuid' })
  action_id: string;

  /** 0 to 1. */
  @ApiProperty({ minimum: 0, maximum: 1 })
  risk_score: number;

  @ApiProperty()
  risk_explanation: string;

  @ApiProperty({ example: '/status/7b0c…' })
  status_url: string;

  /** Nothing was sent. */
  @ApiProperty({ example: false })
  executed: false;

  /** When the action expires undecided. */
  @ApiProperty({ format: 'date-time' })
  expires_at: string;

  /** What to do now, for a reader that is a language model. */
  @ApiProperty()
  next: string;
}

/** An upstream response where it is stored or shown as text. */
export class StoredResponse {
  @ApiProperty()
  status: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  })
  headers: Record<string, string | string[]>;

  @ApiProperty()
  body: string;

  /** Present when the bytes are not valid UTF-8: `body` is base64 then (contract 5). */
  @ApiPropertyOptional({ enum: ['base64'] })
  bodyEncoding?: 'base64';
}
