/**
 * The outbox: sends what other parts have queued, with leases, retries and fairness between receivers. Each of these parts has a table
 * of deliveries of its own, and describes it here. Knows none of them. Depends on events and below.
 */

/** A delivery that this process may attempt until its lease ends. */
export interface Claimed {
  /** The same at every attempt, so that receivers recognise repeats. */
  id: string;
  claimId: string;
  /** The row that says where the delivery goes. */
  receiverId: number;
  type: string;
  /** With the one that begins. */
  attempts: number;
}

/** The result of one attempt. */
export interface Attempt {
  /** null if no response arrived. */
  status: number | null;
  /** Why the attempt failed; null if the receiver accepted the message. */
  error: string | null;
  retryAfterMs: number | null;
}

/** What an attempt makes of its delivery. */
export interface AttemptEnd {
  state: 'pending' | 'delivered' | 'failed';
  /** null if there is no next attempt. */
  retryInMs: number | null;
  status: number | null;
  error: string | null;
}
