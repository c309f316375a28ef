import type { CallbackEventType, DeliveryState } from '#contracts/states';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Where an agent is told that its actions changed. */
@Entity('callbacks')
export class CallbackEntity {
  @PrimaryColumn('integer', { name: 'agent_id' })
  agentId: number;

  @Column('text')
  url: string;

  @Column('boolean')
  enabled: boolean;

  /** Set when the gateway itself disabled it. */
  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason: string | null;

  @Column('text', { name: 'encrypted_secret' })
  encryptedSecret: string;

  /** While the secret is being rotated: the one before. */
  @Column('text', { name: 'encrypted_previous_secret', nullable: true })
  encryptedPreviousSecret: string | null;

  @Column('timestamptz', { name: 'previous_secret_expires_at', nullable: true })
  previousSecretExpiresAt: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}

/** One event for the receiver of a callback. Queued by a trigger when an action changes its status. */
@Entity('callback_deliveries')
export class CallbackDeliveryEntity {
  /** The `webhook-id`. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer', { name: 'agent_id' })
  agentId: number;

  @Column('text')
  type: CallbackEventType;

  /** null for a test. The action may be gone by now. */
  @Column('uuid', { name: 'action_id', nullable: true })
  actionId: string | null;

  @Column('timestamptz', { name: 'occurred_at' })
  occurredAt: Date;

  @Column('timestamptz', { name: 'decided_at', nullable: true })
  decidedAt: Date | null;

  @Column('text', { nullable: true })
  note: string | null;

  @Column('text')
  state: DeliveryState;

  @Column('integer')
  attempts: number;

  /** The next attempt; during one, when it counts as lost with its process. null: closed. */
  @Column('timestamptz', { name: 'next_attempt_at', nullable: true })
  nextAttemptAt: Date | null;

  /** Set during an attempt. */
  @Column('uuid', { name: 'claim_id', nullable: true })
  claimId: string | null;

  @Column('timestamptz', { name: 'last_attempt_at', nullable: true })
  lastAttemptAt: Date | null;

  @Column('integer', { name: 'last_status', nullable: true })
  lastStatus: number | null;

  @Column('text', { name: 'last_error', nullable: true })
  lastError: string | null;
}
