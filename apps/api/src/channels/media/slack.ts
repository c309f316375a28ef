import { Injectable } from '@nestjs/common';
import type { Attempt } from '../../outbox/delivery.js';
import { ChannelReceiver } from './channel-receiver.js';
import type { Notice } from './notice.js';
import type { CheckedTarget, Destination, Entered, Medium } from './medium.js';
import { parseSlackBot, SlackBots } from './slack-bot.js';
import { slackMessage } from './slack-message.js';

/** A channel of Slack, by an incoming webhook or by an app with a bot token. */
@Injectable()
export class SlackMedium implements Medium {
  readonly type = 'slack';

  constructor(
    private readonly receiver: ChannelReceiver,
    private readonly bots: SlackBots,
  ) {}

  check(entered: Entered): Promise<CheckedTarget> {
    const { botToken, signingSecret, slackChannel } = entered;
    return (botToken ?? signingSecret ?? slackChannel) === undefined
      ? this.receiver.check(entered)
      : this.bots.check(entered);
  }

  send(to: Destination, notice: Notice): Promise<Attempt> {
    const bot = parseSlackBot(to.target!);
    return bot === null ? this.receiver.postJson(to.target!, slackMessage(notice)) : this.bots.send(bot, to, notice);
  }
}
