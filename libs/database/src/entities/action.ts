import type { ActionStatus, HttpMethod, RiskSource } from '#contracts/states';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';

const effectiveStatusSql = (a: string): string => `CASE
  WHEN ${a}.status = 'PENDING' AND ${a}.expires_at <= clock_timestamp() THEN 'EXPIRED'
  WHEN ${a}.status = 'APPROVED' AND ${a}.claim_id IS NULL AND ${a}.approval_expires_at <= clock_timestamp() THEN 'EXPIRED'
  ELSE ${a}.status END`;

/** A held request, and what became of it. Credentials are never in it. */
@Entity('actions')
export class ActionEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer', { name: 'user_id' })
  userId: number;

  /** null when the agent was deleted. */
  @Column('integer', { name: 'agent_id', nullable: true })
  agentId: number | null;

  @Column('text', { name: 'agent_name' })
  agentName: string;

  /** null when the service was deleted. */
  @Column('integer', { name: 'service_id', nullable: true })
  serviceId: number | null;

  @Column('text', { name: 'service_name' })
  serviceName: string;

  @Column('text')
  status: ActionStatus;

  /**
   * The status that holds now: expiry is effective at its moment, before the job has stored it. The database's clock
   * decides, so that instances whose clocks differ agree.
   */
  @VirtualColumn('text', { query: effectiveStatusSql })
  effectiveStatus: ActionStatus;

  @Column('text')
  method: HttpMethod;

  @Column('text', { name: 'target_url' })
  targetUrl: string;

  @Column('json')
  headers: Record<string, string>;

  @Column('text', { nullable: true })
  body: string | null;

  @Column('char', { name: 'dedupe_hash', length: 64, nullable: true })
  dedupeHash: string | null;

  /** The same for all equal requests of an agent, whatever their intents and keys. */
  @Column('text', { name: 'equal_hash', nullable: true })
  equalHash: string | null;

  /** The equal action that waited, or was denied, when this one was queued. */
  @Column('uuid', { name: 'repeats_id', nullable: true })
  repeatsId: string | null;

  /** That action as it is now. */
  @VirtualColumn('json', {
    query: (
      a,
    ) => `SELECT json_build_object('id', o.id, 'status', ${effectiveStatusSql('o')}, 'resolvedAt', o.resolved_at,
      'resolvedBy', o.resolved_by, 'resolvedByName', o.resolved_by_name) FROM actions o WHERE o.id = ${a}.repeats_id`,
  })
  repeats: {
    id: string;
    status: ActionStatus;
    resolvedAt: string | null;
    resolvedBy: number | null;
    resolvedByName: string | null;
  } | null;

  @Column('text')
  intent: string;

  @Column('text')
  summary: string;

  @Column('double precision', { name: 'risk_score' })
  riskScore: number;

  @Column('text', { name: 'risk_explanation' })
  riskExplanation: string;

  @Column('text', { name: 'risk_source' })
  riskSource: RiskSource;

  @Column('integer', { name: 'times_asked', default: 1 })
  timesAsked: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;

  /** Milliseconds until `expiresAt`, by the database's clock. */
  @VirtualColumn('double precision', {
    query: (a) => `extract(epoch FROM ${a}.expires_at - clock_timestamp())::float8 * 1000`,
  })
  expiresInMs: number;

  @Column('timestamptz', { name: 'resolved_at', nullable: true })
  resolvedAt: Date | null;

  @Column('integer', { name: 'resolved_by', nullable: true })
  resolvedBy: number | null;

  @Column('text', { name: 'resolved_by_name', nullable: true })
  resolvedByName: string | null;

  @Column('text', { name: 'resolution_note', nullable: true })
  resolutionNote: string | null;

  @Column('timestamptz', { name: 'approval_expires_at', nullable: true })
  approvalExpiresAt: Date | null;

  @Column('timestamptz', { name: 'last_polled_at', nullable: true })
  lastPolledAt: Date | null;

  /** Set while an execution is under way: the id of its audit record. */
  @Column('uuid', { name: 'claim_id', nullable: true })
  claimId: string | null;

  @Column('timestamptz', { name: 'claimed_at', nullable: true })
  claimedAt: Date | null;

  /** Milliseconds since `claimedAt`, by the database's clock; null without a claim. */
  @VirtualColumn('double precision', {
    query: (a) => `extract(epoch FROM clock_timestamp() - ${a}.claimed_at)::float8 * 1000`,
  })
  claimAgeMs: number | null;

  @Column('timestamptz', { name: 'executed_at', nullable: true })
  executedAt: Date | null;

  /** false: the result is the gateway's own 502, 504 or 413. */
  @Column('boolean', { name: 'result_from_upstream', nullable: true })
  resultFromUpstream: boolean | null;

  @Column('integer', { name: 'result_status', nullable: true })
  resultStatus: number | null;

  @Column('json', { name: 'result_headers', nullable: true })
  resultHeaders: [string, string][] | null;

  @Column('bytea', { name: 'result_body', nullable: true })
  resultBody: Buffer | null;
}
