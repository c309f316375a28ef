import { ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { IsMissable } from './validation.js';

/** The app of a Slack workspace. The three belong together. See docs/notifications.md#slack-bot. */
export class SlackBotFields {
  /** With `slack`, in place of `target`: the token of the app’s bot. It is never shown again. */
  @ApiPropertyOptional({ example: 'xoxb-…', pattern: '^xoxb-[A-Za-z0-9-]{10,250}$' })
  @IsMissable()
  @Matches(/^xoxb-[A-Za-z0-9-]{10,250}$/, { message: 'must be the token of a bot, like xoxb-…' })
  botToken?: string;

  /** With `botToken`: what Slack signs its requests with. It is never shown again. */
  @ApiPropertyOptional({ pattern: '^[A-Za-z0-9]{16,128}$' })
  @IsMissable()
  @Matches(/^[A-Za-z0-9]{16,128}$/, { message: 'must be the signing secret of the app, 32 letters and digits' })
  signingSecret?: string;

  /** With `botToken`: the id of the channel in Slack. */
  @ApiPropertyOptional({ example: 'C0123456789', pattern: '^[CG][A-Z0-9]{7,20}$' })
  @IsMissable()
  @Matches(/^[CG][A-Z0-9]{7,20}$/, { message: 'must be the id of a channel in Slack, like C0123456789' })
  slackChannel?: string;
}
