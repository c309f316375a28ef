import type { HttpMethod } from '#contracts/states';
import { Column, Entity, PrimaryColumn } from 'typeorm';

type IdempotencyStatus = 'processing' | 'completed' | 'failed';

@Entity('idempotency_records')
export class IdempotencyRecordEntity {
  @PrimaryColumn('integer')
  agentId: number;

  @PrimaryColumn('text')
  key: string;

  /** SHA-256 hex of `<method>:<targetUrl>:<body or empty>` (docs/reference/idempotency.md#request-hash). */
  @Column('char', { length: 64 })
  requestHash: string;

  @Column('text')
  method: HttpMethod;

  @Column('text')
  status: IdempotencyStatus;

  /** The id of the audit record of the request that claimed the key. */
  @Column('uuid')
  claimId: string;

  /** Set when the request is held: the key is bound to the action. */
  @Column('uuid', { nullable: true })
  actionId: string | null;

  /**
   * The service of the request, once the key is bound or answered. The agent gets the response only while it may use
   * this service.
   */
  @Column('integer', { nullable: true })
  serviceId: number | null;

  /** false: the response is the gateway's own 502, 504 or 413. */
  @Column('boolean', { nullable: true })
  responseFromUpstream: boolean | null;

  @Column('integer', { nullable: true })
  responseStatus: number | null;

  @Column('json', { nullable: true })
  responseHeaders: [string, string][] | null;

  @Column('bytea', { nullable: true })
  responseBody: Buffer | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  completedAt: Date | null;

  @Column('timestamptz')
  expiresAt: Date;
}
