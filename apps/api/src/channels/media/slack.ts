import { Injectable } from '@nestjs/common';
import type { Attempt } from '../../outbox/delivery.js';
import { ChannelReceiver } from '../channel-receiver.js';
import type { Notice } from '../notice.js';
import { unlinked } from '../plain-text.js';
import type { CheckedTarget, Destination, Entered, Medium } from './medium.js';

/** A channel of Slack, by an incoming webhook: Block Kit, with the texts of others as `plain_text`, in which Slack reads no marks. */
@Injectable()
export class SlackMedium implements Medium {
  readonly type = 'slack';

  constructor(private readonly receiver: ChannelReceiver) {}

  check(entered: Entered): Promise<CheckedTarget> {
    return this.receiver.check(entered);
  }

  send({ target }: Destination, notice: Notice): Promise<Attempt> {
    return this.receiver.postJson(target!, slackMessage(notice));
  }
}

const plain = (text: string): object => ({ type: 'plain_text', text, emoji: false });

export function slackMessage({ title, quote, facts, link }: Notice): object {
  return {
    // What notifications of the system show. It has only words of the gateway.
    text: title,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(title) },
      ...(quote === null ? [] : [{ type: 'section', text: plain(`“${unlinked(quote)}”`) }]),
      ...(facts.length === 0
        ? []
        : [{ type: 'section', fields: facts.map(([label, value]) => plain(`${label}: ${unlinked(value)}`)) }]),
      ...(link === null
        ? []
        : [{ type: 'section', text: { type: 'mrkdwn', text: `<${escaped(link)}|Review and decide>` } }]),
    ],
  };
}

const escaped = (url: string): string =>
  url.replace(/&/g, '&amp;').replace(/</g, '%3C').replace(/>/g, '%3E').replace(/\|/g, '%7C');
