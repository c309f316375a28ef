import type { ChannelType, WebPushSubscription } from '#contracts';
import type { Attempt } from '../../outbox/delivery.js';
import type { Notice } from './notice.js';

/** The values that a person entered as the target of a channel. */
export interface Entered {
  target?: string;
  /** The push subscription of a browser. */
  subscription?: WebPushSubscription;
  /** The bot token of a Slack app. */
  botToken?: string;
  signingSecret?: string;
  slackChannel?: string;
}

/** A target that can be stored. */
export interface CheckedTarget {
  /** Stored encrypted. null: there is nothing to store. */
  target: string | null;
  /** The part that may be shown. */
  hint: string;
  /** Whether the channel gets a signing secret. */
  hasSecret?: boolean;
  /** Set for a Slack app: it signs with this secret, and its messages are replaced. */
  bot?: { signingSecret: string };
}

/** Where one notification goes. */
export interface Destination {
  /** null: the address of the account. */
  target: string | null;
  /** The e-mail address of the channel's owner. */
  email: string | null;
  /** All secrets that are valid now. */
  secrets: string[];
  /** The messages that this notification replaces. */
  replaces: Record<string, string>[];
  /** Requests below this risk get buttons, where the medium has them. null: none. */
  decideBelowRisk: number | null;
}

/** One type of channel. */
export interface Medium {
  readonly type: ChannelType;
  /**
   * @param entered fields that are undefined in a change keep the stored target
   * @throws ApiError 400, 403
   */
  check(entered: Entered, email: string): Promise<CheckedTarget>;
  /** Makes one attempt. Errors of the receiver never throw; they are part of the result. */
  send(to: Destination, notice: Notice): Promise<Attempt>;
}
