import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Choice, Text } from './fields.js';
import { IDEMPOTENCY_KEY_MAX, INTENT_MAX, TARGET_URL_MAX } from './limits.js';
import { StringMap } from './nested-fields.js';
import { LimitUse, RequestEffect, RISK_DECISIONS, type RiskDecision } from './risk.js';
import { HTTP_METHODS, RISK_SOURCES, type HttpMethod, type RiskSource } from './states.js';

export class ProxyRequestBody {
  /** Absolute URL below the `baseUrl` of a service in the agent's scope. */
  @Text({ format: 'uri', max: TARGET_URL_MAX, example: 'https://api.example.com/v1/customers/42' })
  targetUrl: string;

  @Choice(HTTP_METHODS, { name: 'HttpMethod' })
  method: HttpMethod;

  /** Headers to forward. Authentication, cookie and hop-by-hop headers are dropped. */
  @StringMap({ optional: true }, { nullable: true })
  headers?: Record<string, string> | null;

  /** The request body as text. Not allowed with GET and HEAD. */
  @Text({ optional: true, nullable: true })
  body?: string | null;

  /** The request body as base64, for bodies that are not text. Send either this or `body`. */
  @Text({ optional: true, nullable: true, format: 'byte', example: 'iVBORw0KGgo=' })
  bodyBase64?: string | null;

  /**
   * What the agent wants to achieve, in plain words. The risk assessment and the approver read it, and the audit record
   * keeps it.
   */
  @Text({ min: 1, max: INTENT_MAX, example: 'Look up the customer who wrote in' })
  intent: string;

  /** Required for POST and PATCH unless the `Idempotency-Key` header is sent. The header takes precedence. */
  @Text({ optional: true, min: 1, max: IDEMPOTENCY_KEY_MAX })
  idempotencyKey?: string;
}

/** The body of a 428: the request is held until a human decides. */
export class HeldResponse {
  @ApiProperty({ example: 'Request requires human approval' })
  error: string;

  /** Only under `/s/<service>`: the same text, in the field that SDKs read. */
  @ApiPropertyOptional()
  message?: string;

  /** Only under `/s/<service>`: the same text, for SDKs that take `error` for a code of OAuth, as Stripe's does. */
  @ApiPropertyOptional()
  error_description?: string;

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

  /** Always false: nothing was sent to the upstream. */
  @ApiProperty({ example: false })
  executed: false;

  /** When the action expires if it is not decided. */
  @ApiProperty({ format: 'date-time' })
  expires_at: string;

  /** What to do now, written for a language model. */
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

  /** The target URL as the egress guard parsed it. */
  @ApiProperty({ format: 'uri', example: 'https://api.example.com/v1/customers/42' })
  url: string;

  /** Header names in lower case, including those with credentials. Headers that HTTP itself needs are not listed. */
  @ApiProperty({ type: [String], example: ['accept', 'authorization'] })
  headers: string[];
}

/** The response to `Prefer: handling=dry-run`: what would happen to the request. */
export class DryRunResponse {
  @ApiProperty({ enum: RISK_DECISIONS, enumName: 'RiskDecision' })
  decision: RiskDecision;

  /** Always false: nothing was sent or queued. */
  @ApiProperty({ example: false })
  executed: false;

  @ApiProperty()
  service: DryRunService;

  /** What the request would do, as an approver would see it. */
  @ApiProperty({ example: 'Delete a customer · 42' })
  summary: string;

  /** 0 to 1. */
  @ApiProperty({ minimum: 0, maximum: 1 })
  risk_score: number;

  @ApiProperty()
  risk_explanation: string;

  @ApiProperty({ enum: RISK_SOURCES, enumName: 'RiskSource' })
  risk_source: RiskSource;

  /** If no rule decides, requests that score this much or more are held. */
  @ApiProperty({ example: 0.5 })
  risk_threshold: number;

  /** The name of the rule that decides; null when no rule decides. */
  @ApiProperty({ nullable: true, type: String })
  rule: string | null;

  /** What the request would do. */
  @ApiProperty({ type: [RequestEffect] })
  effects: RequestEffect[];

  /** The limits that match. A dry run is not counted. */
  @ApiProperty({ type: [LimitUse] })
  limits: LimitUse[];

  @ApiProperty()
  would_send: DryRunRequest;

  /** Names of the headers that would carry the service's credentials. Their values are never shown. */
  @ApiProperty({ type: [String], example: ['authorization'] })
  credential_headers: string[];

  /** What this means, written for a language model. */
  @ApiProperty()
  next: string;
}

/** An upstream response that is stored or shown as text. */
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

  /** Present when the bytes are not valid UTF-8: then `body` is base64 (docs/reference/agent-api.md#stored-bytes). */
  @ApiPropertyOptional({ enum: ['base64'] })
  bodyEncoding?: 'base64';

  /** In lists, and with `view=excerpt`: present if the body has more than 64 kB. Then `body` is its beginning. */
  @ApiPropertyOptional({ enum: [true] })
  bodyTruncated?: true;

  /** Present when this is not the upstream's response but the gateway's own error: 413, 502 or 504. */
  @ApiPropertyOptional({ enum: [false] })
  fromUpstream?: false;
}
