import { ApiProperty } from '@nestjs/swagger';
import { Choice, Text } from './fields.js';
import { NOTE_MAX, SEEN_MAX, TARGET_URL_MAX } from './limits.js';
import { StringMap, Texts } from './nested-fields.js';
import { AreSeenParts } from './seen-parts.js';
import { HTTP_METHODS, type HttpMethod } from './states.js';
import { AtLeastOneOf } from './validation.js';

export class DecisionRequest {
  /** The agent receives the note of a denial. */
  @Text({ optional: true, max: NOTE_MAX, nullable: true })
  note?: string | null;
}

export class ApprovalRequest extends DecisionRequest {
  /** The `digest` of the action that the approver saw. If the digest has changed since, the answer is 409. */
  @Text({ optional: true, pattern: /^[0-9a-f]{64}$/, message: 'must be 64 hexadecimal digits' }, { nullable: true })
  digest?: string;
}

export class ApproveActionRequest extends ApprovalRequest {
  /**
   * Where the person approves, if not in the dashboard. From a notification it is allowed only below
   * `approveInNotificationsBelow` of the workspace, and with `digest`.
   */
  @Choice(['notification'], { optional: true })
  from?: 'notification';

  /**
   * Which parts of the request were on the approver's screen, for the audit record; with `digest`. JSON pointers into
   * `{query, body}`, each with all that is below it: `/query/limit`, `/body/amount`, `/body`. Or bytes of the body:
   * `bytes=0-499`.
   */
  @AreSeenParts()
  @Texts({ optional: true, max: SEEN_MAX, example: ['/query', '/body/amount'] })
  seen?: string[];
}

/** The changes to a request before its approval. Fields that are left out keep their values. */
export class ReviseActionRequest extends ApprovalRequest {
  @AtLeastOneOf(['method', 'targetUrl', 'headers', 'body'])
  @Choice(HTTP_METHODS, { optional: true, name: 'HttpMethod' })
  method?: HttpMethod;

  /** A URL of the same service. */
  @Text({ optional: true, format: 'uri', max: TARGET_URL_MAX })
  targetUrl?: string;

  /** All headers to send. Authentication, cookie and hop-by-hop headers are dropped. */
  @StringMap({ optional: true })
  headers?: Record<string, string>;

  /** The whole body as text; null: no body. */
  @Text({ optional: true, nullable: true })
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
