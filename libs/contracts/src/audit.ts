import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { Actor } from './actor.js';
import { Choice, Integer, PageLimit, QueryId, Text, Timestamp } from './fields.js';
import { ObservedRule } from './risk.js';
import {
  AUDIT_KINDS,
  AUDIT_OUTCOMES,
  HTTP_METHODS,
  type AuditKind,
  type AuditOutcome,
  type HttpMethod,
} from './states.js';

const DECISION_FILTERS = ['any', 'approved', 'revised', 'denied', 'withdrawn', 'undone'] as const;

export class AuditFilter {
  /** Records at or after this time. */
  @Timestamp({ optional: true })
  from?: string;

  /** Records before this time. */
  @Timestamp({ optional: true })
  to?: string;

  @QueryId()
  agentId?: number;

  @QueryId()
  serviceId?: number;

  @Choice(AUDIT_KINDS, { optional: true, name: 'AuditKind' })
  kind?: AuditKind;

  @Choice(AUDIT_OUTCOMES, { optional: true, name: 'AuditOutcome' })
  outcome?: AuditOutcome;

  @Choice(HTTP_METHODS, { optional: true, name: 'HttpMethod' })
  method?: HttpMethod;

  /** First digit of the upstream's status: 2 means 200 to 299. */
  @Integer({ query: true, type: Number, min: 1, max: 5 })
  statusClass?: number;

  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID()
  actionId?: string;

  @Text({ optional: true, max: 64 })
  requestId?: string;

  /** Requests that this rule matched while it was observed. */
  @QueryId()
  observedRule?: number;

  /** The person who made the change or logged in. With `kind` request or execution: the person who decided it. */
  @QueryId()
  actorId?: number;

  /**
   * Only people's decisions (records of kind `change`): `any`, or those with one outcome. `approved` also finds each of
   * several approvals, and leaves out those that were undone.
   */
  @Choice(DECISION_FILTERS, { optional: true })
  decision?: (typeof DECISION_FILTERS)[number];

  /**
   * Searches the URL, the intent, the summary, the headline, the reason, the approver's note, and the names of the agent,
   * the service and the person.
   */
  @Text({ optional: true, max: 200 })
  q?: string;
}

export class ListAuditQuery extends AuditFilter {
  @Text({ optional: true, max: 200 })
  cursor?: string;

  @PageLimit()
  limit?: number;
}

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;

export class ExportAuditQuery extends AuditFilter {
  @Choice(EXPORT_FORMATS)
  format: (typeof EXPORT_FORMATS)[number];
}

const DECISION_STATES = ['waiting', 'approved', 'revised', 'denied', 'withdrawn', 'expired'] as const;

/** The decision about a held request. */
export class AuditDecision {
  /**
   * `revised`: another action took its place. `withdrawn`: it was approved first. `expired`: the time to decide ran out.
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

  /**
   * The line by which approvers knew the request, with the values of query and body that decide. It is the summary for
   * an action that is deleted, or that an earlier version held. Null: there is no held request.
   */
  @ApiProperty({ nullable: true, type: String, example: 'Refund €12,500.00 · order 7731' })
  headline: string | null;

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

  /** For an approval: when its person took it back. It then counts as none. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  undoneAt: string | null;

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

  /** For a request: what each matching rule that was observed would have decided. Null: none matched. */
  @ApiProperty({ type: [ObservedRule], nullable: true })
  observed: ObservedRule[] | null;
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
