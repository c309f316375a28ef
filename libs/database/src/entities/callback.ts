import type { CallbackEventType, DeliveryState } from '#contracts/states';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The URL that the gateway notifies when an action of the agent changes. */
@Entity('callbacks')
export class CallbackEntity {
  @PrimaryColumn('integer')
  agentId: number;

  @Column('text')
  url: string;

  @Column('boolean')
  enabled: boolean;

  /** Set if the gateway disabled the callback. */
  @Column('text', { nullable: true })
  disabledReason: string | null;

  @Column('text')
  encryptedSecret: string;

  /** The previous secret, for some time after a rotation. */
  @Column('text', { nullable: true })
  encryptedPreviousSecret: string | null;

  @Column('timestamptz', { nullable: true })
  previousSecretExpiresAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

/** One event for the receiver of a callback. A trigger queues it when the status of an action changes. */
@Entity('callback_deliveries')
export class CallbackDeliveryEntity {
  /** The `webhook-id`. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer')
  agentId: number;

  @Column('text')
  type: CallbackEventType;

  /** null for a test. The action may have been deleted since. */
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

  /** When the next attempt is due. During an attempt: when its lease ends. null once the delivery is closed. */
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

/** The host that an agent asked for, and that is not allowed yet. */
@Entity('callback_requests')
export class CallbackRequestEntity {
  @PrimaryColumn('integer')
  agentId: number;

  @Column('text')
  host: string;

  @Column('timestamptz')
  requestedAt: Date;
}
