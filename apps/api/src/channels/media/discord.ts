import { Injectable } from '@nestjs/common';
import type { Attempt } from '../../outbox/delivery.js';
import { oneLine } from '../../platform/plain-text.js';
import { ChannelReceiver } from './channel-receiver.js';
import type { Notice } from './notice.js';
import type { CheckedTarget, Destination, Entered, Medium } from './medium.js';

/**
 * Sends to a webhook of Discord. The message is an embed. Texts of others are inline code, where Discord applies no
 * formatting.
 */
@Injectable()
export class DiscordMedium implements Medium {
  readonly type = 'discord';

  constructor(private readonly receiver: ChannelReceiver) {}

  check(entered: Entered): Promise<CheckedTarget> {
    return this.receiver.check(entered);
  }

  send({ target }: Destination, notice: Notice): Promise<Attempt> {
    return this.receiver.postJson(target!, discordMessage(notice));
  }
}

/** Inline code ends at a backtick, so there is none in it. */
const code = (text: string): string => `\`${oneLine(text).replaceAll('`', 'ˋ') || ' '}\``;

export function discordMessage({ title, quote, facts, link }: Notice): object {
  return {
    // No text can mention anybody.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title,
        ...(link === null ? {} : { url: link }),
        ...(quote === null ? {} : { description: code(quote) }),
        fields: facts.map(([name, value]) => ({ name, value: code(value), inline: true })),
      },
    ],
  };
}
