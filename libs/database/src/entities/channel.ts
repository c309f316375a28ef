import type { ChannelDeliveryState, ChannelEvent, ChannelType } from '#contracts/channel-states';
import type { AskedEffect } from '#contracts/effects';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DeliveryColumns, ReceiverColumns } from './delivery.js';

/** A way to notify people, or their programs, of events in a workspace. */
@Entity('channels')
export class ChannelEntity extends ReceiverColumns {
  /** Taken from the sequence before the row is written, because the encryption of its columns is bound to it. */
  @PrimaryColumn('integer')
  id: number;

  @Column('integer')
  workspaceId: number;

  /** The owner of the channel; null: the workspace. */
  @Column('integer', { nullable: true })
  userId: number | null;

  @Column('integer', { nullable: true })
  createdBy: number | null;

  @Column('text')
  type: ChannelType;

  @Column('text')
  name: string;

  /** null: the address of the account. */
  @Column('text', { nullable: true })
  encryptedTarget: string | null;

  /** The part of the target that may be shown. */
  @Column('text')
  targetHint: string;

  @Column('text', { nullable: true })
  encryptedSecret: string | null;

  /** Whether it is a Slack app, whose messages are replaced. */
  @Column('boolean', { default: false })
  isBot: boolean;

  /** Requests below this risk can be decided in Slack. null: none. */
  @Column('double precision', { nullable: true })
  decideBelowRisk: number | null;

  @Column('double precision')
  minRisk: number;

  /** Requests with one of them are told whatever the risk is, in quiet hours too. */
  @Column('text', { array: true, default: '{}' })
  effects: AskedEffect[];

  /** Empty: all. */
  @Column('integer', { array: true })
  serviceIds: number[];

  @Column('text', { array: true })
  events: ChannelEvent[];

  @Column('jsonb', { nullable: true })
  quietHours: { from: string; to: string; timeZone: string } | null;

  /** null: when a fifth of the time is left. */
  @Column('integer', { nullable: true })
  remindAfterMinutes: number | null;

  @Column('integer', { nullable: true })
  escalateAfterMinutes: number | null;

  @Column('integer', { nullable: true })
  escalateTo: number | null;

  @Column('boolean')
  isActive: boolean;

  /** Since when every attempt has failed. */
  @Column('timestamptz', { nullable: true })
  failingSince: Date | null;

  @Column('timestamptz', { nullable: true })
  failureToldAt: Date | null;
}

/** One notification of one channel. */
@Entity('channel_deliveries')
export class ChannelDeliveryEntity extends DeliveryColumns {
  @Column('integer')
  channelId: number;

  @Column('text')
  type: ChannelEvent;

  /** The subject, so that nothing is sent twice. For approvals, the id of the action. */
  @Column('text', { nullable: true })
  subject: string | null;

  @Column('jsonb')
  about: Record<string, unknown>;

  @Column('double precision', { nullable: true })
  risk: number | null;

  /** Who may decide; null: everyone whose role allows it. */
  @Column('integer', { array: true, nullable: true })
  people: number[] | null;

  /** After this time it is no longer sent. */
  @Column('timestamptz', { nullable: true })
  until: Date | null;

  @Column('text')
  state: ChannelDeliveryState;

  @Column('boolean', { default: false })
  heldBack: boolean;

  @Column('timestamptz', { nullable: true })
  releasedAt: Date | null;

  /** The digest that includes it. */
  @Column('uuid', { nullable: true })
  digestId: string | null;

  @Column('integer', { nullable: true })
  tookMs: number | null;

  /** The receiver's name for the message. null: it can't be replaced. */
  @Column('jsonb', { nullable: true })
  receipt: Record<string, string> | null;
}
