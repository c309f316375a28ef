import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { Actor } from './actor.js';
import { ID_MAX, PAGE_LIMIT_MAX } from './limits.js';
import {
  AUDIT_KINDS,
  AUDIT_OUTCOMES,
  HTTP_METHODS,
  type AuditKind,
  type AuditOutcome,
  type HttpMethod,
} from './states.js';
import { IsMoment, QueryNumber } from './validation.js';

const DECISION_FILTERS = ['any', 'approved', 'revised', 'denied', 'withdrawn'] as const;

export class AuditFilter {
  /** Records at or after this time. */
  @ApiPropertyOptional({ format: 'date-time' })
  @IsOptional()
  @IsMoment()
  from?: string;

  /** Records before this time. */
  @ApiPropertyOptional({ format: 'date-time' })
  @IsOptional()
  @IsMoment()
  to?: string;

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

  @ApiPropertyOptional({ enum: AUDIT_KINDS, enumName: 'AuditKind' })
  @IsOptional()
  @IsIn(AUDIT_KINDS)
  kind?: AuditKind;

  @ApiPropertyOptional({ enum: AUDIT_OUTCOMES, enumName: 'AuditOutcome' })
  @IsOptional()
  @IsIn(AUDIT_OUTCOMES)
  outcome?: AuditOutcome;

  @ApiPropertyOptional({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  @IsOptional()
  @IsIn(HTTP_METHODS)
  method?: HttpMethod;

  /** First digit of the upstream's status: 2 means 200 to 299. */
  @ApiPropertyOptional({ minimum: 1, maximum: 5 })
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(5)
  statusClass?: number;

  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID()
  actionId?: string;

  @ApiPropertyOptional({ maxLength: 64 })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  requestId?: string;

  /** The person who made the change or logged in. With `kind` request or execution: the person who decided it. */
  @ApiPropertyOptional()
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(ID_MAX)
  actorId?: number;

  /**
   * Only people's decisions (records of kind `change`): `any`, or those with one outcome. `approved` also finds each of
   * several approvals.
   */
  @ApiPropertyOptional({ enum: DECISION_FILTERS })
  @IsOptional()
  @IsIn(DECISION_FILTERS)
  decision?: (typeof DECISION_FILTERS)[number];

  /**
   * Searches the URL, the intent, the summary, the reason, the approver's note, and the names of the agent, the service
   * and the person.
   */
  @ApiPropertyOptional({ maxLength: 200 })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  q?: string;
}

export class ListAuditQuery extends AuditFilter {
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

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;

export class ExportAuditQuery extends AuditFilter {
  @ApiProperty({ enum: EXPORT_FORMATS })
  @IsIn(EXPORT_FORMATS)
  format: (typeof EXPORT_FORMATS)[number];
}

const DECISION_STATES = ['waiting', 'approved', 'revised', 'denied', 'expired'] as const;

/** The decision about a held request. */
export class AuditDecision {
  /**
   * `revised`: another action took its place. `denied` includes withdrawn approvals. `expired`: the time to decide ran
   * out.
   */
  @ApiProperty({ enum: DECISION_STATES })
  state: (typeof DECISION_STATES)[number];

  @ApiProperty({ type: Actor, nullable: true })
  by: Actor | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  at: string | null;

  /** Of the person. A revised request has none: the record of the decision has it. */
  @ApiProperty({ nullable: true, type: String })
  note: string | null;
}

/** One event in the audit log. Fields that do not apply to its `kind` are null. */
export class AuditRecord {
  /** UUID version 7, so ids sort by time. */
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty({ enum: AUDIT_KINDS, enumName: 'AuditKind' })
  kind: AuditKind;

  @ApiProperty({ enum: AUDIT_OUTCOMES, enumName: 'AuditOutcome' })
  outcome: AuditOutcome;

  @ApiProperty({ nullable: true, type: String })
  requestId: string | null;

  @ApiProperty({ type: Actor, nullable: true })
  agent: Actor | null;

  @ApiProperty({ type: Actor, nullable: true })
  service: Actor | null;

  /** The dashboard user who did it. */
  @ApiProperty({ type: Actor, nullable: true })
  actor: Actor | null;

  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod', nullable: true })
  method: HttpMethod | null;

  @ApiProperty({ nullable: true, type: String })
  url: string | null;

  @ApiProperty({ nullable: true, type: String })
  intent: string | null;

  /** For a held request and its decisions: what the request does, in the gateway's words. */
  @ApiProperty({ nullable: true, type: String })
  summary: string | null;

  @ApiProperty({ nullable: true, type: Number })
  riskScore: number | null;

  @ApiProperty({ nullable: true, type: String })
  riskExplanation: string | null;

  /** Why the request was held or refused, or what was changed, e.g. `service.credentials.replaced`. */
  @ApiProperty({ nullable: true, type: String })
  reason: string | null;

  /** For a change: its details, without secrets. */
  @ApiProperty({ nullable: true, type: 'object', additionalProperties: true })
  details: Record<string, unknown> | null;

  @ApiProperty({ format: 'uuid', nullable: true, type: String })
  actionId: string | null;

  /** For a held or executed request, as long as its action is stored. */
  @ApiProperty({ type: AuditDecision, nullable: true })
  decision: AuditDecision | null;

  /**
   * The status that the agent received. null while the request is in progress, or if the gateway stopped before it had
   * a status.
   */
  @ApiProperty({ nullable: true, type: Number })
  status: number | null;

  /** The upstream's status; null if it did not respond. */
  @ApiProperty({ nullable: true, type: Number })
  upstreamStatus: number | null;

  /** Time from sending the request to receiving the complete response. */
  @ApiProperty({ nullable: true, type: Number })
  durationMs: number | null;

  /** Size of the response body in bytes. */
  @ApiProperty({ nullable: true, type: Number })
  responseBytes: number | null;

  @ApiProperty({ nullable: true, type: String })
  error: string | null;
}

export class AuditPage {
  /** A page can hold fewer than `limit` records, or none, and still have a `nextCursor`: see `searchedBackTo`. */
  @ApiProperty({ type: [AuditRecord] })
  items: AuditRecord[];

  /** null on the last page. */
  @ApiProperty({ nullable: true, type: String })
  nextCursor: string | null;

  /**
   * Set when the page ended before it was full. The gateway searched records back to this time; `nextCursor` continues
   * from there. A search for rare text in many records can need several pages, but each one responds quickly.
   */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  searchedBackTo: string | null;
}
