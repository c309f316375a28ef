import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsNumber, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { ID_MAX, NOTE_MAX, PAGE_LIMIT_MAX } from './limits.js';
import { StoredResponse } from './proxy.js';
import { Actor } from './services.js';
import {
  ACTION_STATUSES,
  HTTP_METHODS,
  RISK_SOURCES,
  type ActionStatus,
  type HttpMethod,
  type RiskSource,
} from './states.js';
import { QueryNumber } from './validation.js';

export const ACTION_SORTS = ['newest', 'risk', 'expiry', 'urgent'] as const;
export type ActionSort = (typeof ACTION_SORTS)[number];

export class ListActionsQuery {
  /** Default PENDING; ALL for history. */
  @ApiPropertyOptional({ enum: [...ACTION_STATUSES, 'ALL'], default: 'PENDING' })
  @IsOptional()
  @IsIn([...ACTION_STATUSES, 'ALL'])
  status?: ActionStatus | 'ALL';

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

  /** Text in the URL, the intent, or the agent's or service's name. */
  @ApiPropertyOptional({ maxLength: 200 })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  q?: string;

  /**
   * `urgent` is for PENDING only: by the moment at which the share `risk_score` of the time to decide is left. So a critical action with
   * 50 minutes left comes before a mild one with 23 hours.
   */
  @ApiPropertyOptional({ enum: ACTION_SORTS, default: 'newest' })
  @IsOptional()
  @IsIn(ACTION_SORTS)
  sort?: ActionSort;

  /** `nextCursor` of the page before, with the same filters and order. */
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

export class DecisionRequest {
  /** On a denial, the agent receives it. */
  @ApiPropertyOptional({ maxLength: NOTE_MAX, nullable: true, type: String })
  @IsOptional()
  @IsString()
  @MaxLength(NOTE_MAX)
  note?: string | null;
}

/** A held request, as its approver sees it. */
/** An equal request that a person was asked about before. */
export class RepeatedAction {
  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ enum: ACTION_STATUSES, enumName: 'ActionStatus' })
  status: ActionStatus;

  @ApiProperty({ nullable: true, type: Actor })
  resolved_by: Actor | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  resolved_at: string | null;
}

export class Action {
  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ enum: ACTION_STATUSES, enumName: 'ActionStatus' })
  status: ActionStatus;

  /** Why an open action can't be approved or executed any more; null when it can. It can still be denied. */
  @ApiProperty({ nullable: true, type: String, example: 'The agent is revoked' })
  blocked: string | null;

  /** The equal action (agent, method, URL, headers, body) that waited, or was denied, when this one was queued. */
  @ApiProperty({ nullable: true, type: RepeatedAction })
  repeats: RepeatedAction | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  /** When it was approved or denied. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  resolved_at: string | null;

  /** When it expires undecided. */
  @ApiProperty({ format: 'date-time' })
  expires_at: string;

  /** Until when the agent may execute it, once approved. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  approvalExpiresAt: string | null;

  /** What would happen, in our words, from method, path and matched operation: never from the agent or the model. */
  @ApiProperty({ example: 'DELETE customer 42' })
  summary: string;

  /** `id` is null when the agent was deleted. */
  @ApiProperty({ type: Actor })
  agent: Actor;

  /** `id` is null when the service was deleted. */
  @ApiProperty({ type: Actor })
  service: Actor;

  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  method: HttpMethod;

  @ApiProperty()
  targetUrl: string;

  /** As they would be sent, without those that the gateway injects. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  headers: Record<string, string>;

  @ApiProperty({ nullable: true, type: String })
  body: string | null;

  @ApiPropertyOptional({ enum: ['base64'] })
  bodyEncoding?: 'base64';

  @ApiProperty()
  intent: string;

  /** 0 to 1. */
  @ApiProperty({ minimum: 0, maximum: 1 })
  risk_score: number;

  @ApiProperty()
  risk_explanation: string;

  @ApiProperty({ enum: RISK_SOURCES, enumName: 'RiskSource' })
  risk_source: RiskSource;

  @ApiProperty({ type: Actor, nullable: true })
  resolved_by: Actor | null;

  @ApiProperty({ nullable: true, type: String })
  resolution_note: string | null;

  /** How often the agent sent this same request while it waited. */
  @ApiProperty({ minimum: 1 })
  times_asked: number;

  /** When the agent last asked for the status. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  last_polled_at: string | null;

  /** When the upstream answered. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  executed_at: string | null;

  /** What the upstream answered, once executed. */
  @ApiProperty({ type: StoredResponse, nullable: true })
  result: StoredResponse | null;
}

export class ActionPage {
  /** May be fewer than `limit`, even none, while there is a `nextCursor`: a page reads so many actions and no more. */
  @ApiProperty({ type: [Action] })
  items: Action[];

  /** null on the last page. */
  @ApiProperty({ nullable: true, type: String })
  nextCursor: string | null;
}

/** The service's own documentation of what the request would do. */
export class MatchedOperation {
  @ApiProperty()
  documentId: number;

  @ApiProperty()
  documentTitle: string;

  @ApiProperty()
  method: string;

  @ApiProperty()
  path: string;

  @ApiProperty({ nullable: true, type: String })
  operationId: string | null;

  @ApiProperty({ nullable: true, type: String })
  summary: string | null;

  @ApiProperty({ nullable: true, type: String })
  description: string | null;
}

export class SimilarAction {
  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ enum: ACTION_STATUSES, enumName: 'ActionStatus' })
  status: ActionStatus;

  @ApiProperty()
  summary: string;

  @ApiProperty()
  intent: string;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  resolved_at: string | null;

  @ApiProperty({ type: Actor, nullable: true })
  resolved_by: Actor | null;

  @ApiProperty({ nullable: true, type: String })
  resolution_note: string | null;
}

/** Why no similar requests can be allowed: what is done is said elsewhere than in method and path, which rules see. */
export const ALLOW_SIMILAR_WITHHELD = [
  'graphql',
  'rpc',
  'batch',
  'method_override',
  'parameter',
  'ambiguous_path',
] as const;
export type AllowSimilarWithheld = (typeof ALLOW_SIMILAR_WITHHELD)[number];

/** The `allow` rule that "approve and allow similar" would make. */
export class AllowSimilar {
  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod', isArray: true })
  methods: HttpMethod[];

  /** Leaves open which thing is meant, never which owner or namespace it belongs to. */
  @ApiProperty({ example: '/repos/acme/api/issues/*' })
  pathPattern: string;

  /** Leaves every identifier open, for those who ask for that; missing where it is the same. */
  @ApiPropertyOptional({ example: '/repos/*/*/issues/*' })
  widerPathPattern?: string;

  @ApiProperty({ type: [Number] })
  agentIds: number[];

  /** Of the latest requests to the service, 50 at most, how many the rule would have let pass. */
  @ApiProperty()
  matched: number;

  @ApiProperty()
  of: number;

  /** A stronger rule (`deny`, `require_approval`) that holds all the same, by name; null when there is none. */
  @ApiProperty({ nullable: true, type: String })
  overruledBy: string | null;
}

export class Novelty {
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  agentCreatedAt: string | null;

  /** Requests of this agent to this service that were sent before. */
  @ApiProperty()
  earlierRequests: number;

  /** The same, of this method only: 0 = the first DELETE of this agent here. */
  @ApiProperty()
  earlierSameMethod: number;
}

/** What helps to decide, beside the request itself. */
export class ActionContext {
  @ApiProperty({ type: MatchedOperation, nullable: true })
  operation: MatchedOperation | null;

  @ApiProperty({ type: Novelty })
  novelty: Novelty;

  /** The latest decided actions with the same method and kind of path, newest first, at most five. */
  @ApiProperty({ type: [SimilarAction] })
  similar: SimilarAction[];

  /** null when it is not offered, or the agent or the service is gone. */
  @ApiProperty({ type: AllowSimilar, nullable: true })
  allowSimilar: AllowSimilar | null;

  /** Why it is not offered; missing where it is, or where agent or service are gone. */
  @ApiPropertyOptional({ enum: ALLOW_SIMILAR_WITHHELD })
  allowSimilarWithheld?: AllowSimilarWithheld;

  /** The header names that the gateway would inject; their values are not shown. */
  @ApiProperty({ type: [String] })
  injectedHeaders: string[];
}

export class ActionCounts {
  @ApiProperty()
  pending: number;

  @ApiProperty()
  approved: number;

  /** The oldest waiting action. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  oldestPendingAt: string | null;
}

export class PendingStatus {
  @ApiProperty({ enum: ['PENDING'] })
  status: 'PENDING';

  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export class ApprovedStatus {
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

  /** What the approver tells the agent. */
  @ApiProperty({ nullable: true, type: String })
  resolution_note: string | null;
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

/** What `GET /status/:actionId` answers; `status` tells which. */
export type StatusResponse = PendingStatus | ApprovedStatus | DeniedStatus | ExpiredStatus | ExecutedStatus;
export const STATUS_RESPONSES = [PendingStatus, ApprovedStatus, DeniedStatus, ExpiredStatus, ExecutedStatus] as const;
