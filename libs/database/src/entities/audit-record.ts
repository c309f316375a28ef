import type { ObservedRule } from '#contracts/risk';
import type { AuditKind, AuditOutcome, HttpMethod, RiskSource } from '#contracts/states';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A record of one event. It has no foreign keys and stores names beside ids, so that it outlives the rows that it
 * refers to.
 */
@Entity('audit_records')
export class AuditRecordEntity {
  /** UUID version 7, so that ids sort by time. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('timestamptz')
  at: Date;

  @Column('text')
  kind: AuditKind;

  @Column('text')
  outcome: AuditOutcome;

  /** The owner of the record; null for login attempts without an account. */
  @Column('integer', { nullable: true })
  workspaceId: number | null;

  @Column('text', { nullable: true })
  requestId: string | null;

  @Column('integer', { nullable: true })
  agentId: number | null;

  @Column('text', { nullable: true })
  agentName: string | null;

  @Column('integer', { nullable: true })
  serviceId: number | null;

  @Column('text', { nullable: true })
  serviceName: string | null;

  @Column('integer', { nullable: true })
  actorId: number | null;

  @Column('text', { nullable: true })
  actorName: string | null;

  @Column('text', { nullable: true })
  method: HttpMethod | null;

  @Column('text', { nullable: true })
  url: string | null;

  @Column('text', { nullable: true })
  intent: string | null;

  /** For a held request and its decisions: what the request does, in the gateway's words. */
  @Column('text', { nullable: true })
  summary: string | null;

  @Column('double precision', { nullable: true })
  riskScore: number | null;

  @Column('text', { nullable: true })
  riskExplanation: string | null;

  @Column('text', { nullable: true })
  riskSource: RiskSource | null;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('json', { nullable: true })
  details: Record<string, unknown> | null;

  @Column('uuid', { nullable: true })
  actionId: string | null;

  @Column('integer', { nullable: true })
  status: number | null;

  @Column('integer', { nullable: true })
  upstreamStatus: number | null;

  @Column('integer', { nullable: true })
  durationMs: number | null;

  @Column('integer', { nullable: true })
  responseBytes: number | null;

  @Column('text', { nullable: true })
  error: string | null;

  /** What each matching rule that was observed would have decided. */
  @Column('jsonb', { nullable: true })
  observed: ObservedRule[] | null;
}
