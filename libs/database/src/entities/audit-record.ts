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
  @Column('integer', { name: 'user_id', nullable: true })
  userId: number | null;

  @Column('text', { name: 'request_id', nullable: true })
  requestId: string | null;

  @Column('integer', { name: 'agent_id', nullable: true })
  agentId: number | null;

  @Column('text', { name: 'agent_name', nullable: true })
  agentName: string | null;

  @Column('integer', { name: 'service_id', nullable: true })
  serviceId: number | null;

  @Column('text', { name: 'service_name', nullable: true })
  serviceName: string | null;

  @Column('integer', { name: 'actor_id', nullable: true })
  actorId: number | null;

  @Column('text', { name: 'actor_name', nullable: true })
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

  @Column('double precision', { name: 'risk_score', nullable: true })
  riskScore: number | null;

  @Column('text', { name: 'risk_explanation', nullable: true })
  riskExplanation: string | null;

  @Column('text', { name: 'risk_source', nullable: true })
  riskSource: RiskSource | null;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('json', { nullable: true })
  details: Record<string, unknown> | null;

  @Column('uuid', { name: 'action_id', nullable: true })
  actionId: string | null;

  @Column('integer', { nullable: true })
  status: number | null;

  @Column('integer', { name: 'upstream_status', nullable: true })
  upstreamStatus: number | null;

  @Column('integer', { name: 'duration_ms', nullable: true })
  durationMs: number | null;

  @Column('integer', { name: 'response_bytes', nullable: true })
  responseBytes: number | null;

  @Column('text', { nullable: true })
  error: string | null;
}
