import type { ChannelType, WebPushSubscription } from '#contracts';
import type { Attempt } from '../../outbox/delivery.js';
import type { Notice } from '../notice.js';

/** What a person entered as the target of a channel. */
export interface Entered {
  target?: string;
  /** Of a browser. */
  subscription?: WebPushSubscription;
  /** Of an app of Slack. */
  botToken?: string;
  signingSecret?: string;
  slackChannel?: string;
}

/** A target that can be stored. */
export interface CheckedTarget {
  /** Is encrypted. null: there is nothing to store. */
  target: string | null;
  /** The part that may be shown. */
  hint: string;
  /** Whether the channel gets a signing secret. */
  hasSecret?: boolean;
  /** It is an app of Slack: it signs with this secret, and its messages are replaced. */
  bot?: { signingSecret: string };
}

/** Where one notification goes. */
export interface Destination {
  /** null: the address of the account. */
  target: string | null;
  /** The address of the account whose channel it is. */
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
  /** @param entered undefined fields of a change: the target stays @throws ApiError 400, 403 */
  check(entered: Entered, email: string): Promise<CheckedTarget>;
  /** Makes one attempt. Errors of the receiver never throw; they are part of the result. */
  send(to: Destination, notice: Notice): Promise<Attempt>;
}
