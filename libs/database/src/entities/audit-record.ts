import type { AuditKind, AuditOutcome, HttpMethod, RiskSource } from '#contracts/states';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What happened, kept apart from what it speaks of: names stand beside ids, and no foreign key ties it. */
@Entity('audit_records')
export class AuditRecordEntity {
  /** UUID version 7, so that its order is the order of time. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('timestamptz')
  at: Date;

  @Column('text')
  kind: AuditKind;

  @Column('text')
  outcome: AuditOutcome;

  /** Whose record it is; null for log-ins to no account. */
  @Column('integer', { nullable: true })
  userId: number | null;

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

  /** Of a held request and its decisions: what it would do, in our words. */
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
}
