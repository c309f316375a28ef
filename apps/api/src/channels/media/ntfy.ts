import { Injectable } from '@nestjs/common';
import type { Attempt } from '../../outbox/delivery.js';
import { unlinked } from '../../platform/plain-text.js';
import { ChannelReceiver } from './channel-receiver.js';
import type { Notice } from './notice.js';
import type { CheckedTarget, Destination, Entered, Medium } from './medium.js';

/** A topic of ntfy. Without the header `Markdown`, it shows text as it is. */
@Injectable()
export class NtfyMedium implements Medium {
  readonly type = 'ntfy';

  constructor(private readonly receiver: ChannelReceiver) {}

  check(entered: Entered): Promise<CheckedTarget> {
    return this.receiver.check(entered);
  }

  send({ target }: Destination, notice: Notice): Promise<Attempt> {
    return this.receiver.post({ url: target!, ...ntfyMessage(notice) });
  }
}

/** The priorities of ntfy, from the highest, each with its lowest risk. */
const PRIORITIES: [from: number, priority: string][] = [
  [0.8, '5'],
  [0.6, '4'],
];

/** The headers contain only the gateway's own words. */
export function ntfyMessage({ title, quote, facts, link, risk }: Notice): {
  headers: Record<string, string>;
  body: Buffer;
} {
  const lines = [
    ...(quote === null ? [] : [`“${unlinked(quote)}”`]),
    ...facts.map(([label, value]) => `${label}: ${unlinked(value)}`),
  ];
  return {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      title,
      priority: PRIORITIES.find(([from]) => (risk ?? 0) >= from)?.[1] ?? '3',
      ...(link === null ? {} : { click: link }),
    },
    body: Buffer.from(lines.join('\n') || title),
  };
}
