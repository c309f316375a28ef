/**
 * The outbox: sends what other parts have queued, with leases, retries and fairness between receivers. Each of these
 * parts has a table of deliveries of its own, and describes it here. Knows none of them. Depends on events and below.
 */

/** A delivery that this process may attempt until its lease ends. */
export interface Claimed {
  /** The same at every attempt, so that receivers recognise repeats. */
  id: string;
  claimId: string;
  /** The row that says where the delivery goes. */
  receiverId: number;
  type: string;
  /** The number of attempts, including the one that begins now. */
  attempts: number;
}

/** The result of one attempt. */
export interface Attempt {
  /** null if no response arrived. */
  status: number | null;
  /** Why the attempt failed; null if the receiver accepted the message. */
  error: string | null;
  retryAfterMs: number | null;
  /** Whether the receiver wants no more messages. If missing, the status 410 says so. */
  isGone?: boolean;
  /** Whether nothing was sent, because there was nothing left to tell. */
  isEmpty?: boolean;
  /** The receiver's name for the message, so that it can be replaced later. */
  receipt?: Record<string, string>;
}

/** An attempt in which nothing was sent. */
export const unsent = (error: string | null): Attempt => ({ status: null, error, retryAfterMs: null });

/** The state of a delivery after an attempt. */
export interface AttemptEnd {
  /** `withdrawn`: there was nothing left to tell. */
  state: 'pending' | 'delivered' | 'failed' | 'withdrawn';
  /** null if there is no next attempt. */
  retryInMs: number | null;
  status: number | null;
  error: string | null;
  receipt?: Record<string, string>;
}

const GONE = 410;

export const isGone = (attempt: Attempt): boolean => attempt.isGone ?? attempt.status === GONE;

/** @param retryInMs the delay before the next attempt if this one failed; null: there is none */
export function toAttemptEnd(attempt: Attempt, retryInMs: number | null): AttemptEnd {
  const { status, error, receipt } = attempt;
  if (error === null)
    return { state: attempt.isEmpty === true ? 'withdrawn' : 'delivered', retryInMs: null, status, error, receipt };
  const nextMs = isGone(attempt) ? null : retryInMs;
  return { state: nextMs === null ? 'failed' : 'pending', retryInMs: nextMs, status, error };
}
