import { Injectable } from '@nestjs/common';
import type { Attempt } from '../../outbox/delivery.js';
import { ChannelReceiver } from './channel-receiver.js';

/** The answer of Slack. */
export interface SlackAnswer {
  attempt: Attempt;
  /** The code of Slack's error; null: there is none, or Slack did not answer. */
  fault: string | null;
  body: Readonly<Record<string, unknown>>;
}

/** Advice for the errors that are known. */
const WORDS: Record<string, string | undefined> = {
  account_inactive: 'the app was removed from Slack',
  channel_not_found: 'there is no such channel, or it is private and the app is not in it',
  invalid_auth: 'Slack does not accept the bot token',
  is_archived: 'the channel is archived',
  missing_scope: 'the app needs the scope chat:write',
  not_authed: 'Slack does not accept the bot token',
  not_in_channel: 'the app is not in the channel; add it there with /invite',
  ratelimited: 'the rate limit of Slack was reached',
  token_expired: 'the bot token has expired',
  token_revoked: 'the bot token was revoked',
};

/** Calls methods of Slack's Web API. */
@Injectable()
export class SlackApi {
  /** Only tests use another URL. */
  url = 'https://slack.com/api';

  constructor(private readonly receiver: ChannelReceiver) {}

  /** Errors of Slack or the network never throw; they are part of the result. */
  async call(method: string, botToken: string, args: object): Promise<SlackAnswer> {
    const { attempt, body: bytes } = await this.receiver.exchange({
      url: `${this.url}/${method}`,
      headers: { authorization: `Bearer ${botToken}`, 'content-type': 'application/json; charset=utf-8' },
      body: Buffer.from(JSON.stringify(args)),
    });
    const body = parsed(bytes);
    if (attempt.error === null && body.ok === true) return { attempt, fault: null, body };
    const fault = typeof body.error === 'string' && /^[a-z0-9_]{1,60}$/.test(body.error) ? body.error : null;
    const error = formatError(attempt, fault);
    // No status of Slack means that a channel is no longer wanted, so no status switches the channel off.
    return { attempt: { ...attempt, error, isGone: false }, fault, body };
  }
}

function formatError({ error }: Attempt, fault: string | null): string {
  if (fault === null) return error ?? 'answered what Slack never answers';
  const words = WORDS[fault];
  return `answered ${fault}${words === undefined ? '' : `: ${words}`}`;
}

function parsed(bytes: Buffer | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
