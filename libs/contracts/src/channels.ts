import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsOptional, ValidateNested } from 'class-validator';
import {
  CHANNEL_DELIVERY_STATES,
  CHANNEL_EVENTS,
  CHANNEL_OWN_EVENTS,
  CHANNEL_TYPES,
  type ChannelDeliveryState,
  type ChannelEvent,
  type ChannelType,
} from './channel-states.js';
import { makeDeliveryClass, SIGNING_SECRET_SCHEMA } from './deliveries.js';
import { ASKED_EFFECTS, type AskedEffect } from './effects.js';
import { Choice, Decimal, Flag, Id, Integer, OneLine, Text } from './fields.js';
import { CHANNEL_MINUTES_MAX, CHANNEL_NAME_MAX, CHANNEL_SERVICES_MAX, CHANNEL_TARGET_MAX, ID_MAX } from './limits.js';
import { Choices, Ids, Nested } from './nested-fields.js';
import { SlackApp, SlackBotFields } from './slack.js';
import { WebPushSubscription } from './web-push.js';

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const MINUTES = { type: Number, nullable: true, minimum: 1, maximum: CHANNEL_MINUTES_MAX } as const;

/** The hours in which a person wants only notifications about the highest risks. */
export class QuietHours {
  @Text({ example: '22:00' }, { pattern: TIME, message: 'must be a time like 22:00' })
  from: string;

  /** Before `from`: on the next day. */
  @Text({ example: '07:00' }, { pattern: TIME, message: 'must be a time like 07:00' })
  to: string;

  /** A name of the IANA database. */
  @Text({ example: 'Europe/Berlin', max: 64 }, { min: 1 })
  timeZone: string;
}

/** The settings of a channel. Fields that are left out keep their values, or get their defaults. */
class ChannelSettings extends SlackBotFields {
  /** Requests with a lower risk are not sent, unless they do one of the `effects`. Default 0. */
  @Decimal({ optional: true, min: 0, max: 1, default: 0 })
  minRisk?: number;

  /** Requests that do one of these are sent whatever their risk, in quiet hours too. Empty, the default: none. */
  @Choices(ASKED_EFFECTS, { optional: true, name: 'AskedEffect' })
  effects?: AskedEffect[];

  /** Only requests to these services are sent. Empty, the default: all. */
  @Ids({ optional: true, max: CHANNEL_SERVICES_MAX })
  serviceIds?: number[];

  /**
   * The events to send. Default: all. For `email`, `ntfy` and a Slack bot, which replaces its messages: all except
   * decisions.
   */
  @Choices(CHANNEL_EVENTS, { optional: true, name: 'ChosenChannelEvent' })
  events?: ChannelEvent[];

  /** In these hours, only risks of 0.8 and higher and the `effects` are sent. The rest follows in one digest. Default: none. */
  @ApiPropertyOptional({ type: QuietHours, nullable: true })
  @IsOptional()
  @ValidateNested()
  @Type(() => QuietHours)
  quietHours?: QuietHours | null;

  /**
   * After how many minutes the channel reminds of a request that waits. Null, the default: when a fifth of its time is
   * left.
   */
  @Integer({ optional: true, type: Number, nullable: true, min: 1, max: CHANNEL_MINUTES_MAX })
  remindAfterMinutes?: number | null;

  /** After how many minutes without a decision the channel `escalateTo` is notified too. Default: never. */
  @Integer({ optional: true, type: Number, nullable: true, min: 1, max: CHANNEL_MINUTES_MAX })
  escalateAfterMinutes?: number | null;

  /** The id of another channel. */
  @Id({ optional: true, type: Number, nullable: true, min: 1, max: ID_MAX })
  escalateTo?: number | null;

  /** false: the channel sends nothing. Default true. */
  @Flag({ optional: true, default: true })
  isActive?: boolean;

  /**
   * With `webpush`, in place of `target`: the subscription that the browser created for the key of `GET
   * /channels/webpush/key`.
   */
  @Nested(WebPushSubscription, { optional: true })
  subscription?: WebPushSubscription;
}

export class CreateChannelRequest extends ChannelSettings {
  @Choice(CHANNEL_TYPES, { name: 'ChannelType' })
  type: ChannelType;

  @OneLine({ max: CHANNEL_NAME_MAX })
  name: string;

  /** The URL that notifications go to. Leave it out for `email`, which only goes to the address of your account. */
  @Text({ optional: true, format: 'uri', max: CHANNEL_TARGET_MAX, trimmed: true }, { min: 1 })
  target?: string;
}

export class UpdateChannelRequest extends ChannelSettings {
  @OneLine({ optional: true, max: CHANNEL_NAME_MAX })
  name?: string;

  /** A new URL. */
  @Text({ optional: true, format: 'uri', max: CHANNEL_TARGET_MAX, trimmed: true }, { min: 1 })
  target?: string;
}

/** One notification of a channel. */
export class ChannelDelivery extends makeDeliveryClass<ChannelEvent, ChannelDeliveryState>(
  { enum: [...CHANNEL_EVENTS, ...CHANNEL_OWN_EVENTS], enumName: 'ChannelEvent' },
  { enum: CHANNEL_DELIVERY_STATES, enumName: 'ChannelDeliveryState' },
) {
  /** What the action is about; null if the notification is not about one. */
  @ApiProperty({ nullable: true, type: String })
  summary: string | null;

  /** How long the last attempt took. */
  @ApiProperty({ nullable: true, type: Number })
  tookMs: number | null;

  /** null during an attempt, and once nothing more is sent. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  nextAttemptAt: string | null;
}

/** Newest first. */
export class ChannelDeliveryPage {
  @ApiProperty({ type: [ChannelDelivery] })
  items: ChannelDelivery[];

  /** null on the last page. */
  @ApiProperty({ nullable: true, type: String })
  nextCursor: string | null;
}

/** A way to notify people, or their programs, of events in a workspace. */
export class Channel {
  @ApiProperty()
  id: number;

  @ApiProperty({ enum: CHANNEL_TYPES, enumName: 'ChannelType' })
  type: ChannelType;

  @ApiProperty()
  name: string;

  /** `me`: it is yours alone. */
  @ApiProperty({ enum: ['me', 'workspace'] })
  scope: 'me' | 'workspace';

  /** Masked. */
  @ApiProperty({ example: 'https://hooks.slack.com/…' })
  target: string;

  /** null unless it is a Slack app. */
  @ApiProperty({ type: SlackApp, nullable: true })
  slackApp: SlackApp | null;

  /** Requests below this risk get buttons in Slack. null: none. */
  @ApiProperty({ type: Number, nullable: true })
  decideBelowRisk: number | null;

  @ApiProperty({ minimum: 0, maximum: 1 })
  minRisk: number;

  /** Requests that do one of these are sent whatever their risk, in quiet hours too. Empty: none. */
  @ApiProperty({ enum: ASKED_EFFECTS, enumName: 'AskedEffect', isArray: true })
  effects: AskedEffect[];

  /** Empty: all. */
  @ApiProperty({ type: [Number] })
  serviceIds: number[];

  @ApiProperty({ enum: CHANNEL_EVENTS, enumName: 'ChosenChannelEvent', isArray: true })
  events: ChannelEvent[];

  @ApiProperty({ type: QuietHours, nullable: true })
  quietHours: QuietHours | null;

  @ApiProperty(MINUTES)
  remindAfterMinutes: number | null;

  @ApiProperty(MINUTES)
  escalateAfterMinutes: number | null;

  @ApiProperty({ type: Number, nullable: true })
  escalateTo: number | null;

  @ApiProperty()
  isActive: boolean;

  /** Why the gateway switched the channel off; null if it did not. */
  @ApiProperty({ nullable: true, type: String, example: 'The receiver answered 410 Gone' })
  disabledReason: string | null;

  /** Since when every attempt has failed; null: the last one succeeded. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  failingSince: string | null;

  /** After a rotation: until this time, notifications are also signed with the previous secret. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  previousSecretExpiresAt: string | null;

  /** The last notification that was attempted. */
  @ApiProperty({ type: ChannelDelivery, nullable: true })
  lastDelivery: ChannelDelivery | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;
}

export class CreatedChannel extends Channel {
  /** The full signing secret of a `webhook`. It is shown only in this response; null with the other types. */
  @ApiProperty({ ...SIGNING_SECRET_SCHEMA, nullable: true, type: String })
  secret: string | null;
}

export class RotatedChannelSecret extends Channel {
  /**
   * The full new signing secret. It is shown only in this response. The previous one stays valid until
   * `previousSecretExpiresAt`.
   */
  @ApiProperty(SIGNING_SECRET_SCHEMA)
  secret: string;
}

export class ChannelTestResult {
  /** The result, in words. */
  @ApiProperty({ example: 'Delivered: the receiver answered 204 after 120 ms' })
  message: string;

  @ApiProperty({ type: ChannelDelivery })
  delivery: ChannelDelivery;
}
