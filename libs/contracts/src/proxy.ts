import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { IDEMPOTENCY_KEY_MAX, INTENT_MAX, TARGET_URL_MAX } from './limits.js';
import { RISK_DECISIONS, type RiskDecision } from './risk.js';
import { HTTP_METHODS, RISK_SOURCES, type HttpMethod, type RiskSource } from './states.js';
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

  /** Below `/s/<service>` only: the same text again, where SDKs look for it. */
  @ApiPropertyOptional()
  message?: string;

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

export class DryRunService {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;
}

export class DryRunRequest {
  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  method: HttpMethod;

  /** As the egress guard read it. */
  @ApiProperty({ format: 'uri', example: 'https://api.example.com/v1/customers/42' })
  url: string;

  /** Names of the headers, in lower case, those with credentials among them. Those that HTTP itself needs are not listed. */
  @ApiProperty({ type: [String], example: ['accept', 'authorization'] })
  headers: string[];
}

/** The answer to `Prefer: handling=dry-run`: what would become of the request. */
export class DryRunResponse {
  @ApiProperty({ enum: RISK_DECISIONS, enumName: 'RiskDecision' })
  decision: RiskDecision;

  /** Nothing was sent or queued. */
  @ApiProperty({ example: false })
  executed: false;

  @ApiProperty()
  service: DryRunService;

  /** What the request would do, as an approver would read it. */
  @ApiProperty({ example: 'DELETE customer 42' })
  summary: string;

  /** 0 to 1. */
  @ApiProperty({ minimum: 0, maximum: 1 })
  risk_score: number;

  @ApiProperty()
  risk_explanation: string;

  @ApiProperty({ enum: RISK_SOURCES, enumName: 'RiskSource' })
  risk_source: RiskSource;

  /** Without a rule, what scores as much or more is held. */
  @ApiProperty({ example: 0.5 })
  risk_threshold: number;

  /** The name of the rule that decides; null when the score does. */
  @ApiProperty({ nullable: true, type: String })
  rule: string | null;

  @ApiProperty()
  would_send: DryRunRequest;

  /** The headers in which the gateway would put the service's credentials. Never their values. */
  @ApiProperty({ type: [String], example: ['authorization'] })
  credential_headers: string[];

  /** What this means, for a reader that is a language model. */
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

  /** Present when the upstream gave no answer: this is the gateway's own error, 413, 502 or 504. */
  @ApiPropertyOptional({ enum: [false] })
  fromUpstream?: false;
}
