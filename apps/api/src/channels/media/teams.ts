import { Injectable } from '@nestjs/common';
import type { Attempt } from '../../outbox/delivery.js';
import { unlinked } from '../../platform/plain-text.js';
import { ChannelReceiver } from './channel-receiver.js';
import type { Notice } from './notice.js';
import type { CheckedTarget, Destination, Entered, Medium } from './medium.js';

/**
 * Sends to the webhook of a Teams workflow. The message is an Adaptive Card. All texts are `TextRun`, where Teams
 * applies no formatting.
 */
@Injectable()
export class TeamsMedium implements Medium {
  readonly type = 'teams';

  constructor(private readonly receiver: ChannelReceiver) {}

  check(entered: Entered): Promise<CheckedTarget> {
    return this.receiver.check(entered);
  }

  send({ target }: Destination, notice: Notice): Promise<Attempt> {
    return this.receiver.postJson(target!, teamsMessage(notice));
  }
}

const line = (...inlines: object[]): object => ({ type: 'RichTextBlock', inlines });
const run = (text: string, style: object = {}): object => ({ type: 'TextRun', text, ...style });

export function teamsMessage({ title, quote, facts, link, linkText }: Notice): object {
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      line(run(title, { weight: 'Bolder', size: 'Medium' })),
      ...(quote === null ? [] : [line(run(`“${unlinked(quote)}”`, { italic: true }))]),
      ...facts.map(([label, value]) => line(run(`${label}: `, { weight: 'Bolder' }), run(unlinked(value)))),
    ],
    ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: linkText, url: link }] }),
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
  };
}
