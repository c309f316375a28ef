import type { CallbackEventType, DeliveryState } from '#contracts/states';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DeliveryColumns, ReceiverColumns } from './delivery.js';

/** The URL that the gateway notifies when an action of the agent changes. */
@Entity('callbacks')
export class CallbackEntity extends ReceiverColumns {
  @PrimaryColumn('integer')
  agentId: number;

  @Column('text')
  url: string;

  @Column('boolean')
  enabled: boolean;

  @Column('text')
  encryptedSecret: string;
}

/** One event for the receiver of a callback. A trigger queues it when the status of an action changes. */
@Entity('callback_deliveries')
export class CallbackDeliveryEntity extends DeliveryColumns {
  @Column('integer')
  agentId: number;

  @Column('text')
  type: CallbackEventType;

  /** null for a test. The action may have been deleted since. */
  @Column('uuid', { nullable: true })
  actionId: string | null;

  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  @Column('text', { nullable: true })
  note: string | null;

  @Column('text')
  state: DeliveryState;
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
