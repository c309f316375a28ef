import { Injectable } from '@nestjs/common';
import type { Attempt } from '../../outbox/delivery.js';
import { errors } from '../../platform/errors.js';
import { mayBeDecided, type Notice } from './notice.js';
import type { CheckedTarget, Destination, Entered } from './medium.js';
import { SlackApi } from './slack-api.js';
import { slackMessage, slackQuestion, slackUpdate } from './slack-message.js';

/** The stored settings of a Slack app, besides its signing secret. */
export interface SlackBot {
  botToken: string;
  slackChannel: string;
  /** The Slack workspace that the token belongs to. */
  teamId: string;
}

/** The app in a stored target; null: the target is the URL of an incoming webhook. */
export const parseSlackBot = (target: string): SlackBot | null =>
  target.startsWith('{') ? (JSON.parse(target) as SlackBot) : null;

/** A channel of Slack by an app with a bot token: it can replace its messages. */
@Injectable()
export class SlackBots {
  constructor(private readonly api: SlackApi) {}

  /** Asks Slack whose token it is. @throws ApiError 400 */
  async check({ target, botToken, signingSecret, slackChannel }: Entered): Promise<CheckedTarget> {
    if (target !== undefined) throw errors.invalid('target: leave it out with botToken');
    const all = { botToken, signingSecret, slackChannel };
    const missing = Object.entries(all).find(([, value]) => value === undefined);
    if (missing !== undefined)
      throw errors.invalid(`${missing[0]}: must be given with the other two fields of the Slack app`);
    const { attempt, body } = await this.api.call('auth.test', botToken!, {});
    if (attempt.error !== null) throw errors.invalid(`botToken: Slack ${attempt.error}`);
    if (typeof body.team_id !== 'string') throw errors.invalid('botToken: must belong to one Slack workspace');
    const bot: SlackBot = { botToken: botToken!, slackChannel: slackChannel!, teamId: body.team_id };
    return {
      target: JSON.stringify(bot),
      hint: `Slack app, channel ${slackChannel}`,
      bot: { signingSecret: signingSecret! },
    };
  }

  async send(bot: SlackBot, { replaces, decideBelowRisk }: Destination, notice: Notice): Promise<Attempt> {
    const asks = mayBeDecided(notice, decideBelowRisk);
    // Otherwise only the model has answered: the question stays, with another risk.
    const isDecision = notice.type === 'approval.updated' && notice.data.before !== notice.data.status;
    const content = isDecision ? slackUpdate(notice, asks) : asks ? slackQuestion(notice) : slackMessage(notice);
    if (notice.type === 'approval.updated') return this.replace(bot, replaces, content);
    const message = { channel: bot.slackChannel, ...content };
    const { attempt, body } = await this.api.call('chat.postMessage', bot.botToken, message);
    const { channel, ts } = body;
    if (attempt.error !== null || typeof channel !== 'string' || typeof ts !== 'string') return attempt;
    return { ...attempt, receipt: { channel, ts } };
  }

  /** Replaces all messages in parallel, because the lease is not longer than the longest exchange. */
  private async replace(bot: SlackBot, replaces: Destination['replaces'], content: object): Promise<Attempt> {
    const answers = await Promise.all(
      replaces.map(({ channel, ts }) => this.api.call('chat.update', bot.botToken, { channel, ts, ...content })),
    );
    const failed = answers.find(({ attempt, fault }) => attempt.error !== null && fault !== 'message_not_found');
    // Somebody has deleted the message: there is nothing to replace.
    return failed?.attempt ?? { ...answers[0].attempt, error: null };
  }
}
