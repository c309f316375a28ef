import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsNumber, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { APPROVALS_MAX, ID_MAX, NOTE_MAX, PAGE_LIMIT_MAX, TARGET_URL_MAX } from './limits.js';
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
import { AtLeastOneOf, IsMissable, IsStringMap, QueryNumber } from './validation.js';

export const ACTION_SORTS = ['newest', 'risk', 'expiry', 'urgent'] as const;
export type ActionSort = (typeof ACTION_SORTS)[number];

export const WAITING_FOR = ['me', 'others'] as const;
export type WaitingFor = (typeof WAITING_FOR)[number];

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
   * `urgent` works with PENDING only. It weighs risk and time left: actions are sorted by the moment when the fraction of the decision
   * time that is left falls to `risk_score`. So a critical action with 50 minutes left comes before a low-risk one with 23 hours left.
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

export class DecisionRequest {
  /** The agent receives the note of a denial. */
  @ApiPropertyOptional({ maxLength: NOTE_MAX, nullable: true, type: String })
  @IsOptional()
  @IsString()
  @MaxLength(NOTE_MAX)
  note?: string | null;
}

export class ApprovalRequest extends DecisionRequest {
  /** The `digest` of the action that the approver saw. If the action has another one now, the answer is 409. */
  @ApiPropertyOptional({ pattern: '^[0-9a-f]{64}$' })
  @IsOptional()
  @Matches(/^[0-9a-f]{64}$/, { message: 'must be 64 hexadecimal digits' })
  digest?: string;
}

/** What to change in a request before it is approved. What is left out stays. */
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

/** An earlier, equal request that was held. */
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

/** One approval of an action. */
export class ActionApproval {
  /** The account. */
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty({ nullable: true, type: String })
  note: string | null;
}

export const YOUR_APPROVAL = ['may_approve', 'approved', 'may_not'] as const;

/** Who must approve an action, who has, and who may. */
export class ActionApprovals {
  /** How many people must approve. Fixed when the action was queued. */
  @ApiProperty({ minimum: 1, maximum: APPROVALS_MAX })
  needed: number;

  /**
   * While the action is pending: the approvals that count. An approval counts while its giver may still decide, and while the service has
   * the base URL that the giver saw.
   */
  @ApiProperty({ type: [ActionApproval] })
  given: ActionApproval[];

  /** The people who may give the next approval: at most ten, by name. Empty unless the action is pending. */
  @ApiProperty({ type: [Actor] })
  mayApprove: Actor[];

  @ApiProperty()
  mayApproveCount: number;

  /** Whether fewer people may approve than must. */
  @ApiProperty()
  tooFew: boolean;

  /** What you can do. */
  @ApiProperty({ enum: YOUR_APPROVAL })
  you: (typeof YOUR_APPROVAL)[number];
}

/** One part of a form that uploads files. */
export class ActionPart {
  @ApiProperty({ example: 'file' })
  name: string;

  /** Present for a file. */
  @ApiPropertyOptional({ example: 'report.pdf' })
  filename?: string;

  @ApiProperty({ example: 'application/pdf' })
  contentType: string;

  /** Bytes. */
  @ApiProperty()
  size: number;

  /** The value of a field. Missing for a file. */
  @ApiPropertyOptional()
  text?: string;
}

/** A held request, as its approver sees it. */
export class Action {
  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ enum: ACTION_STATUSES, enumName: 'ActionStatus' })
  status: ActionStatus;

  /** Why an open action can no longer be approved or executed; it can still be denied. null when nothing blocks it. */
  @ApiProperty({ nullable: true, type: String, example: 'The agent is revoked' })
  blocked: string | null;

  @ApiProperty({ type: ActionApprovals })
  approvals: ActionApprovals;

  /** An equal action (same agent, method, URL, headers, body) that was pending or denied when this one was queued. */
  @ApiProperty({ nullable: true, type: RepeatedAction })
  repeats: RepeatedAction | null;

  /** The action that this one revises: what the agent asked for. */
  @ApiProperty({ format: 'uuid', nullable: true, type: String })
  revises: string | null;

  /** The action that a person made of this one. */
  @ApiProperty({ format: 'uuid', nullable: true, type: String })
  revised_as: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  /** When the action was approved or denied. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  resolved_at: string | null;

  /** When the action expires if it is not decided. */
  @ApiProperty({ format: 'date-time' })
  expires_at: string;

  /** Once approved, the agent must execute the action before this time. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  approvalExpiresAt: string | null;

  /**
   * What the request does: the summary of the documented operation and its target, else method and path in words. It never
   * comes from the agent or the model.
   */
  @ApiProperty({ example: 'Delete a customer · 42' })
  summary: string;

  /** `id` is null if the agent was deleted. */
  @ApiProperty({ type: Actor })
  agent: Actor;

  /** `id` is null if the service was deleted. */
  @ApiProperty({ type: Actor })
  service: Actor;

  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  method: HttpMethod;

  @ApiProperty()
  targetUrl: string;

  /** The headers that would be sent, without those that the gateway injects. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  headers: Record<string, string>;

  /** What the body says, without its content codings, or a binary body as base64. Lists leave binary bodies out. */
  @ApiProperty({ nullable: true, type: String })
  body: string | null;

  /** Present if the body is not text. */
  @ApiPropertyOptional({ enum: ['base64'] })
  bodyEncoding?: 'base64';

  /**
   * SHA-256 over what an approval covers: method, target URL, headers, body, agent, service and its base URL. Once approved, it stays
   * the approved one. null when the agent or the service was deleted.
   */
  @ApiProperty({ nullable: true, type: String, pattern: '^[0-9a-f]{64}$' })
  digest: string | null;

  /** The parts of a form (`multipart/form-data`), where the whole body is shown. */
  @ApiPropertyOptional({ type: [ActionPart] })
  parts?: ActionPart[];

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

  /** How often the agent has sent this request while it was pending. */
  @ApiProperty({ minimum: 1 })
  times_asked: number;

  /** When the agent last polled the status. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  last_polled_at: string | null;

  /** When the upstream responded. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  executed_at: string | null;

  /** The upstream's response, once the action is executed. */
  @ApiProperty({ type: StoredResponse, nullable: true })
  result: StoredResponse | null;
}

export class ActionPage {
  /**
   * A page can hold fewer than `limit` actions, or none, and still have a `nextCursor`: the gateway reads a limited number of actions
   * per page before it filters them.
   */
  @ApiProperty({ type: [Action] })
  items: Action[];

  /** null on the last page. */
  @ApiProperty({ nullable: true, type: String })
  nextCursor: string | null;
}

/** The operation of the service's documentation that matches the request. */
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

/**
 * Why "approve and allow similar" is not offered. Rules match by method and path; these requests state their effect elsewhere, so a
 * rule would allow more than the approver saw.
 */
export const ALLOW_SIMILAR_WITHHELD = [
  'graphql',
  'rpc',
  'batch',
  'method_override',
  'parameter',
  'ambiguous_path',
] as const;
export type AllowSimilarWithheld = (typeof ALLOW_SIMILAR_WITHHELD)[number];

/** The `allow` rule that "approve and allow similar" would create. */
export class AllowSimilar {
  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod', isArray: true })
  methods: HttpMethod[];

  /** Has a wildcard for the resource's own identifier, but never for its owner or namespace. */
  @ApiProperty({ example: '/repos/acme/api/issues/*' })
  pathPattern: string;

  /** Has a wildcard for every identifier. The approver can choose it instead. Missing if it equals `pathPattern`. */
  @ApiPropertyOptional({ example: '/repos/*/*/issues/*' })
  widerPathPattern?: string;

  @ApiProperty({ type: [Number] })
  agentIds: number[];

  /** How many of the latest requests to the service (at most 50) the rule would have allowed. */
  @ApiProperty()
  matched: number;

  /** How many requests were checked for `matched`. */
  @ApiProperty()
  of: number;

  /** The name of a stronger rule (`deny`, `require_approval`) that would still apply; null when there is none. */
  @ApiProperty({ nullable: true, type: String })
  overruledBy: string | null;
}

export class Novelty {
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  agentCreatedAt: string | null;

  /** How many requests this agent sent to this service before. */
  @ApiProperty()
  earlierRequests: number;

  /** The same count for this method only: 0 means, for example, that this is the agent's first DELETE here. */
  @ApiProperty()
  earlierSameMethod: number;
}

/** More information that helps an approver to decide. */
export class ActionContext {
  @ApiProperty({ type: MatchedOperation, nullable: true })
  operation: MatchedOperation | null;

  @ApiProperty({ type: Novelty })
  novelty: Novelty;

  /** The latest decided actions with the same method and a path of the same form, newest first, at most five. */
  @ApiProperty({ type: [SimilarAction] })
  similar: SimilarAction[];

  /** null when it is not offered, or when the agent or the service was deleted. */
  @ApiProperty({ type: AllowSimilar, nullable: true })
  allowSimilar: AllowSimilar | null;

  /** Why `allowSimilar` is not offered. Missing when it is offered, or when the agent or the service was deleted. */
  @ApiPropertyOptional({ enum: ALLOW_SIMILAR_WITHHELD })
  allowSimilarWithheld?: AllowSimilarWithheld;

  /** Names of the headers that the gateway would inject. Their values are not shown. */
  @ApiProperty({ type: [String] })
  injectedHeaders: string[];
}

export class ActionCounts {
  @ApiProperty()
  pending: number;

  /** The pending ones that you may approve and have not yet. */
  @ApiProperty()
  waitingForMe: number;

  @ApiProperty()
  approved: number;

  /** When the oldest pending action was created. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  oldestPendingAt: string | null;
}

/** What a revised action sends, in place of what the agent asked for. */
export class RevisedRequest {
  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  method: HttpMethod;

  @ApiProperty()
  targetUrl: string;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  headers: Record<string, string>;

  /** Null if there is none, or if it is no text. */
  @ApiProperty({ nullable: true, type: String })
  body: string | null;
}

/** The fields of an action that a person revised from another one. */
class RevisedStatus {
  /** The action that the agent asked for. */
  @ApiPropertyOptional({ format: 'uuid' })
  revises?: string;

  @ApiPropertyOptional({ type: RevisedRequest })
  request?: RevisedRequest;

  /** Of a revised action: what to do, written for a language model. */
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

  /** Of a revised request: what to do, written for a language model. */
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
