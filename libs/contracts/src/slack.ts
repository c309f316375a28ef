import { ApiProperty } from '@nestjs/swagger';
import { Decimal, Text } from './fields.js';

/** The app of a Slack workspace. The three belong together. See docs/notifications.md#slack-bot. */
export class SlackBotFields {
  /** With `slack`, in place of `target`: the token of the app’s bot. It is never shown again. */
  @Text({
    optional: true,
    example: 'xoxb-…',
    pattern: /^xoxb-[A-Za-z0-9-]{10,250}$/,
    message: 'must be the token of a bot, like xoxb-…',
    trimmed: true,
  })
  botToken?: string;

  /** With `botToken`: the secret with which Slack signs its requests. It is never shown again. */
  @Text({
    optional: true,
    pattern: /^[A-Za-z0-9]{16,128}$/,
    message: 'must be the signing secret of the app, 32 letters and digits',
    trimmed: true,
  })
  signingSecret?: string;

  /** With `botToken`: the id of the channel in Slack. */
  @Text({
    optional: true,
    example: 'C0123456789',
    pattern: /^[CG][A-Z0-9]{7,20}$/,
    message: 'must be the id of a channel in Slack, like C0123456789',
    trimmed: true,
  })
  slackChannel?: string;

  /**
   * Requests below this risk get buttons in Slack, with which linked members decide. Only owners can change this. Null,
   * the default: none.
   */
  @Decimal({ optional: true, nullable: true, min: 0, max: 1 })
  decideBelowRisk?: number | null;
}

/** The Slack app of a channel. */
export class SlackApp {
  /** The URL to enter in Slack under “Interactivity & Shortcuts”. null: the operator has not set `PUBLIC_URL`. */
  @ApiProperty({ format: 'uri', nullable: true, type: String })
  requestUrl: string | null;
}

export class SlackLinkToken {
  /** The part of the link after `#slack=`. */
  @Text({ pattern: /^[0-9a-f]{64}$/, message: 'must be the part of the link after #slack=' })
  token: string;
}

/** The details of a link from Slack. */
export class SlackLinkRequest {
  /** The name of the Slack user, as Slack reports it. */
  @ApiProperty()
  slackName: string;

  /** The id of the Slack user. */
  @ApiProperty({ example: 'U0123456789' })
  slackUserId: string;

  /** The name of the channel. */
  @ApiProperty()
  channel: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}

/** A Slack user who decides as a member, in one channel. */
export class SlackLink {
  @ApiProperty()
  id: number;

  /** The name of the Slack user, as Slack reports it. */
  @ApiProperty()
  slackName: string;

  /** The id of the Slack user. */
  @ApiProperty({ example: 'U0123456789' })
  slackUserId: string;

  @ApiProperty()
  channelId: number;

  /** The name of the channel. */
  @ApiProperty()
  channel: string;

  @ApiProperty({ format: 'date-time' })
  linkedAt: string;
}
