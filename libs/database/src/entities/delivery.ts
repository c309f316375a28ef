import { Column, PrimaryColumn } from 'typeorm';

/** The columns that every row has that says where deliveries go. */
export abstract class ReceiverColumns {
  /** Set if the gateway switched the receiver off. */
  @Column('text', { nullable: true })
  disabledReason: string | null;

  /** The previous signing secret, for some time after a rotation. */
  @Column('text', { nullable: true })
  encryptedPreviousSecret: string | null;

  @Column('timestamptz', { nullable: true })
  previousSecretExpiresAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

/** The columns that every table of deliveries has, besides its receiver, type and state. */
export abstract class DeliveryColumns {
  /** The `webhook-id`; the same on every attempt. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('timestamptz')
  occurredAt: Date;

  @Column('integer', { default: 0 })
  attempts: number;

  /** When it is due. During an attempt: when its lease ends. null once nothing more is sent. */
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
