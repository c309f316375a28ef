import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ChannelEntity } from '#database';
import { channelBinding } from '../channels/encrypted-targets.js';
import { parseSlackBot, type SlackBot } from '../channels/media/slack-bot.js';
import { CredentialCipher } from '../crypto/credential-cipher.js';

/** A channel with a Slack app. */
export interface SlackChannel {
  id: number;
  workspaceId: number;
  name: string;
  bot: SlackBot;
  signingSecret: string;
}

/** Finds the channels that Slack may call about. */
@Injectable()
export class SlackChannels {
  constructor(
    private readonly source: DataSource,
    private readonly cipher: CredentialCipher,
  ) {}

  /** null if there is no active channel with this id, or if its secrets can't be decrypted. */
  async find(id: number): Promise<SlackChannel | null> {
    const found = await this.source.manager.findOneBy(ChannelEntity, { id, isBot: true, isActive: true });
    if (found?.encryptedTarget == null || found.encryptedSecret === null) return null;
    const binding = channelBinding(id);
    try {
      const bot = parseSlackBot(this.cipher.decrypt(found.encryptedTarget, binding));
      const signingSecret = this.cipher.decrypt(found.encryptedSecret, binding);
      return bot && { id, workspaceId: found.workspaceId, name: found.name, bot, signingSecret };
    } catch {
      // ENCRYPTION_SECRET has changed.
      return null;
    }
  }
}
