import { Injectable } from '@nestjs/common';
import type { ChannelType } from '#contracts';
import { DiscordMedium } from './discord.js';
import { EmailMedium } from './email.js';
import type { Medium } from './medium.js';
import { NtfyMedium } from './ntfy.js';
import { SlackApi } from './slack-api.js';
import { SlackBots } from './slack-bot.js';
import { SlackMedium } from './slack.js';
import { TeamsMedium } from './teams.js';
import { WebPushMedium } from './webpush.js';
import { WebhookMedium } from './webhook.js';

/** All types of channels. */
@Injectable()
export class Media {
  private readonly byType: ReadonlyMap<string, Medium>;

  constructor(
    email: EmailMedium,
    ntfy: NtfyMedium,
    slack: SlackMedium,
    teams: TeamsMedium,
    discord: DiscordMedium,
    webhook: WebhookMedium,
    webPush: WebPushMedium,
  ) {
    const all = [email, ntfy, slack, teams, discord, webhook, webPush];
    this.byType = new Map(all.map((medium: Medium) => [medium.type, medium]));
  }

  of(type: ChannelType): Medium {
    return this.byType.get(type)!;
  }
}

export const MEDIA = [
  EmailMedium,
  NtfyMedium,
  SlackApi,
  SlackBots,
  SlackMedium,
  TeamsMedium,
  DiscordMedium,
  WebhookMedium,
  WebPushMedium,
];
