import type { CallbackEventType, DeliveryState } from '#contracts/states';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Where an agent is told that its actions changed. */
@Entity('callbacks')
export class CallbackEntity {
  @PrimaryColumn('integer')
  agentId: number;

  @Column('text')
  url: string;

  @Column('boolean')
  enabled: boolean;

  /** Set when the gateway itself disabled it. */
  @Column('text', { nullable: true })
  disabledReason: string | null;

  @Column('text')
  encryptedSecret: string;

  /** While the secret is being rotated: the one before. */
  @Column('text', { nullable: true })
  encryptedPreviousSecret: string | null;

  @Column('timestamptz', { nullable: true })
  previousSecretExpiresAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

/** One event for the receiver of a callback. Queued by a trigger when an action changes its status. */
@Entity('callback_deliveries')
export class CallbackDeliveryEntity {
  /** The `webhook-id`. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer')
  agentId: number;

  @Column('text')
  type: CallbackEventType;

  /** null for a test. The action may be gone by now. */
  @Column('uuid', { nullable: true })
  actionId: string | null;

  @Column('timestamptz')
  occurredAt: Date;

  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  @Column('text', { nullable: true })
  note: string | null;

  @Column('text')
  state: DeliveryState;

  @Column('integer')
  attempts: number;

  /** The next attempt; during one, when it counts as lost with its process. null: closed. */
  @Column('timestamptz', { nullable: true })
  nextAttemptAt: Date | null;

  /** Set during an attempt. */
  @Column('uuid', { nullable: true })
  claimId: string | null;

  @Column('timestamptz', { nullable: true })
  lastAttemptAt: Date | null;

  @Column('integer', { nullable: true })
  lastStatus: number | null;

  @Column('text', { nullable: true })
  lastError: string | null;
}
