import type { HttpMethod } from '#contracts/states';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export type IdempotencyStatus = 'processing' | 'completed' | 'failed';

@Entity('idempotency_records')
export class IdempotencyRecordEntity {
  @PrimaryColumn('integer', { name: 'agent_id' })
  agentId: number;

  @PrimaryColumn('text')
  key: string;

  /** SHA-256 hex of `<method>:<targetUrl>:<body or empty>` (spec). */
  @Column('char', { name: 'request_hash', length: 64 })
  requestHash: string;

  @Column('text')
  method: HttpMethod;

  @Column('text')
  status: IdempotencyStatus;

  /** The id of the audit record of the request that claimed the key. */
  @Column('uuid', { name: 'claim_id' })
  claimId: string;

  /** Set when the request is held: the key is bound to the action. */
  @Column('uuid', { name: 'action_id', nullable: true })
  actionId: string | null;

  /** Of the request, once it is bound or answered: the answer is told only while the agent may use this service. */
  @Column('integer', { name: 'service_id', nullable: true })
  serviceId: number | null;

  /** false: the response is the gateway's own 502, 504 or 413. */
  @Column('boolean', { name: 'response_from_upstream', nullable: true })
  responseFromUpstream: boolean | null;

  @Column('integer', { name: 'response_status', nullable: true })
  responseStatus: number | null;

  @Column('json', { name: 'response_headers', nullable: true })
  responseHeaders: [string, string][] | null;

  @Column('bytea', { name: 'response_body', nullable: true })
  responseBody: Buffer | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt: Date | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;
}
