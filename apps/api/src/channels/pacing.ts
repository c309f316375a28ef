import { QUIET_HOURS_RISK } from '#contracts/limits';

/** This many notifications are sent alone within a minute. Others go into a digest. */
export const ALONE_MAX = 2;
const MINUTE_MS = 60_000;

/** A notification that is due. */
export interface DueNotice {
  id: string;
  risk: number | null;
  /** It was put off by quiet hours. */
  heldBack: boolean;
}

/** A channel at the moment of a decision. All times are the database's. */
export interface PacedChannel {
  now: Date;
  /** The end of its quiet hours; null: it has none now. */
  quietUntil: Date | null;
  /** How many of its notifications left within the last minute. */
  sentLately: number;
  /** A minute after the last of these; null: none left. */
  windowEnd: Date | null;
  /** A digest collects, or left within the last minute. */
  hasDigest: boolean;
  /** The oldest first. */
  due: readonly DueNotice[];
}

/** What becomes of the notifications of one channel. */
interface Paced {
  /** Those that wait for the end of the quiet hours. */
  waiting: string[];
  alone: string[];
  /** Those that join the digest of the channel. */
  bundled: string[];
  /** When this digest leaves at the latest; null: nothing joins it. */
  digestAt: Date | null;
}

const isQuiet = (quietUntil: Date | null, risk: number | null): boolean =>
  quietUntil !== null && (risk ?? 0) < QUIET_HOURS_RISK;

/**
 * Decides for each notification that is due: it is sent alone, joins the digest of its channel, or waits. While a digest
 * collects, every notification joins it, so that none overtakes waiting ones. What quiet hours put off goes together.
 * See docs/reference/notifications.md#pacing.
 */
export function pace(channel: PacedChannel): Paced {
  const { due, quietUntil, sentLately, hasDigest, windowEnd, now } = channel;
  const waiting = due.filter(({ risk }) => isQuiet(quietUntil, risk));
  const leaving = due.filter(({ risk }) => !isQuiet(quietUntil, risk));
  const areTogether = leaving.length > 1 && leaving.some(({ heldBack }) => heldBack);
  const room = hasDigest || areTogether ? 0 : Math.max(0, ALONE_MAX - sentLately);
  const [alone, bundled] = [leaving.slice(0, room), leaving.slice(room)];
  const digestAt = alone.length > 0 ? new Date(now.getTime() + MINUTE_MS) : (windowEnd ?? now);
  const ids = (notices: DueNotice[]): string[] => notices.map(({ id }) => id);
  return {
    waiting: ids(waiting),
    alone: ids(alone),
    bundled: ids(bundled),
    digestAt: bundled.length > 0 ? digestAt : null,
  };
}

/** A digest that is due, with what is still worth telling in it. */
export interface DueDigest {
  count: number;
  /** The highest of its notifications. */
  risk: number;
}

export type DigestResult = 'send' | 'alone' | 'wait' | 'drop';

/**
 * What happens to a digest: it is sent, its only notification is sent alone, it waits for the end of the quiet hours,
 * or it is deleted because it is empty.
 */
export function paceDigest(quietUntil: Date | null, { count, risk }: DueDigest): DigestResult {
  if (count === 0) return 'drop';
  if (isQuiet(quietUntil, risk)) return 'wait';
  return count === 1 ? 'alone' : 'send';
}
