import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, IsUUID, Matches, Max, MaxLength, Min } from 'class-validator';
import { ID_MAX, PAGE_LIMIT_MAX, USAGE_AGENTS_MAX } from './limits.js';
import { Actor } from './services.js';
import {
  AUDIT_KINDS,
  AUDIT_OUTCOMES,
  HTTP_METHODS,
  type AuditKind,
  type AuditOutcome,
  type HttpMethod,
} from './states.js';
import { IsMoment, QueryNumber } from './validation.js';

export const DECISION_FILTERS = ['any', 'approved', 'denied', 'withdrawn'] as const;

export class AuditFilter {
  /** From this moment on. */
  @ApiPropertyOptional({ format: 'date-time' })
  @IsOptional()
  @IsMoment()
  from?: string;

  /** Before this moment. */
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

  /** First digit of the upstream's status: 2 = 200 to 299. */
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

  /** Who made the change or logged in; with `kind` request or execution, who decided it. */
  @ApiPropertyOptional()
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(ID_MAX)
  actorId?: number;

  /** Only decisions of people (they are of kind `change`): all of them, or those of one outcome. */
  @ApiPropertyOptional({ enum: DECISION_FILTERS })
  @IsOptional()
  @IsIn(DECISION_FILTERS)
  decision?: (typeof DECISION_FILTERS)[number];

  /** Text in the URL, the intent, the summary, the reason, the approver's note, or the agent's, service's or person's name. */
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

export const STATS_BUCKETS = ['hour', 'day'] as const;

export class AuditStatsQuery extends AuditFilter {
  /** Width of a bucket of `overTime`; default: hour up to three days, day beyond. */
  @ApiPropertyOptional({ enum: STATS_BUCKETS })
  @IsOptional()
  @IsIn(STATS_BUCKETS)
  bucket?: (typeof STATS_BUCKETS)[number];
}

export const DECISION_STATES = ['waiting', 'approved', 'denied', 'expired'] as const;

/** What became of a held request. */
export class AuditDecision {
  /** `denied` also after a withdrawal; `expired` when nobody decided in time. */
  @ApiProperty({ enum: DECISION_STATES })
  state: (typeof DECISION_STATES)[number];

  @ApiProperty({ type: Actor, nullable: true })
  by: Actor | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  at: string | null;

  @ApiProperty({ nullable: true, type: String })
  note: string | null;
}

/** One thing that happened. Fields that do not apply to its `kind` are null. */
export class AuditRecord {
  /** UUID version 7: ordered by time. */
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

  /** Of a held request and its decisions: what it would do, in our words. */
  @ApiProperty({ nullable: true, type: String })
  summary: string | null;

  @ApiProperty({ nullable: true, type: Number })
  riskScore: number | null;

  @ApiProperty({ nullable: true, type: String })
  riskExplanation: string | null;

  /** Why it was held or refused, or what was changed, e.g. `service.credentials.replaced`. */
  @ApiProperty({ nullable: true, type: String })
  reason: string | null;

  /** Of a change: what, without any secret. */
  @ApiProperty({ nullable: true, type: 'object', additionalProperties: true })
  details: Record<string, unknown> | null;

  @ApiProperty({ format: 'uuid', nullable: true, type: String })
  actionId: string | null;

  /** Of a held or executed request, while its action is kept. */
  @ApiProperty({ type: AuditDecision, nullable: true })
  decision: AuditDecision | null;

  /** What the agent was answered. null while the request is under way, or when the gateway stopped before it knew. */
  @ApiProperty({ nullable: true, type: Number })
  status: number | null;

  /** What the upstream answered; null when it did not. */
  @ApiProperty({ nullable: true, type: Number })
  upstreamStatus: number | null;

  /** From sending to the whole answer. */
  @ApiProperty({ nullable: true, type: Number })
  durationMs: number | null;

  /** Bytes of the answer's body. */
  @ApiProperty({ nullable: true, type: Number })
  responseBytes: number | null;

  @ApiProperty({ nullable: true, type: String })
  error: string | null;
}

export class AuditPage {
  /** May be fewer than `limit`, even none, while there is a `nextCursor`: see `searchedBackTo`. */
  @ApiProperty({ type: [AuditRecord] })
  items: AuditRecord[];

  /** null: there are no more. */
  @ApiProperty({ nullable: true, type: String })
  nextCursor: string | null;

  /**
   * Set when the page ended before it was full: so far back were records read that may match, and `nextCursor` goes on
   * from there. Rare text in many records takes some pages to be found; each is quick.
   */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  searchedBackTo: string | null;
}

export class OutcomeCounts {
  @ApiProperty()
  forwarded: number;

  @ApiProperty()
  executed: number;

  @ApiProperty()
  held: number;

  @ApiProperty()
  refused: number;
}

export class TimeBucket extends OutcomeCounts {
  @ApiProperty({ format: 'date-time' })
  at: string;
}

export class AgentOutcomes extends OutcomeCounts {
  @ApiProperty({ type: Actor })
  agent: Actor;
}

export class DecisionTimes {
  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty()
  decided: number;

  /** Seconds. */
  @ApiProperty()
  p50Seconds: number;

  @ApiProperty()
  p95Seconds: number;
}

export class RiskBucket {
  /** Lower edge, in steps of 0.05. */
  @ApiProperty()
  from: number;

  @ApiProperty()
  requests: number;
}

export class AuditStats {
  /** With a filter by outcome, decision, or another kind than `request`: all records that it finds. */
  @ApiProperty()
  requests: number;

  @ApiProperty()
  held: number;

  @ApiProperty()
  approved: number;

  @ApiProperty()
  denied: number;

  /** null when nothing was decided. */
  @ApiProperty({ nullable: true, type: Number })
  medianDecisionSeconds: number | null;

  @ApiProperty({ enum: STATS_BUCKETS })
  bucket: (typeof STATS_BUCKETS)[number];

  @ApiProperty({ type: [TimeBucket] })
  overTime: TimeBucket[];

  @ApiProperty({ type: [DecisionTimes] })
  decisionTimes: DecisionTimes[];

  /** The ten with the most requests. */
  @ApiProperty({ type: [AgentOutcomes] })
  agents: AgentOutcomes[];

  @ApiProperty({ type: [RiskBucket] })
  risk: RiskBucket[];

  /** The threshold in force, for the line in the histogram. */
  @ApiProperty()
  riskThreshold: number;

  /**
   * Set when the figures do not reach back to `from`: with a filter other than agent and time, at most so many records
   * are read, the newest ones.
   */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  countedBackTo: string | null;
}

export class ServiceUsage {
  @ApiProperty()
  serviceId: number;

  @ApiProperty()
  agents: number;

  @ApiProperty()
  documents: number;

  @ApiProperty()
  rules: number;

  @ApiProperty()
  requests24h: number;

  /** Requests of each of the last 24 hours, oldest first. */
  @ApiProperty({ type: [Number] })
  hourly: number[];

  /** Answers 401 of the upstream in the last 24 hours to the credentials that are stored now: they may have expired. */
  @ApiProperty()
  unauthorized24h: number;
}

const AGENT_IDS = new RegExp(`^\\d{1,10}(,\\d{1,10}){0,${USAGE_AGENTS_MAX - 1}}$`);

export class AgentUsageQuery {
  /** Separated by commas, at most 100. Those that are not the user's are left out of the answer. */
  @ApiProperty({ example: '3,14,15', pattern: AGENT_IDS.source })
  @Matches(AGENT_IDS, { message: `must be 1 to ${USAGE_AGENTS_MAX} ids, separated by commas` })
  agentIds: string;
}

export class AgentUsage {
  @ApiProperty()
  agentId: number;

  @ApiProperty()
  requests7d: number;

  @ApiProperty()
  held7d: number;

  @ApiProperty()
  denied7d: number;
}
