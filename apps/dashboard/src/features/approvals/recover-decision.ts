import type { ActionSummary } from '#contracts';
import { ApiFailure } from '../../lib/http.js';
import { readSummary } from './api.js';

export type TakenDecision = 'approve' | 'deny' | 'undo';

/** A person waits for the words. */
const READ_MS = 5000;

const isStored: Record<TakenDecision, (found: ActionSummary, personId: number | undefined) => boolean> = {
  approve: ({ approvals }) => approvals.you === 'approved',
  deny: ({ status, resolved_by }, personId) => status === 'DENIED' && resolved_by?.id === personId,
  undo: ({ status, approvals }) => status === 'PENDING' && approvals.you !== 'approved',
};

const WORDS: Record<TakenDecision, { notStored: string; notKnown: string }> = {
  approve: {
    notStored: 'Your approval was not stored. Press again.',
    notKnown: 'It is not known whether your approval was stored. Look at the state of the request.',
  },
  deny: {
    notStored: 'Your denial was not stored. Press again.',
    notKnown: 'It is not known whether your denial was stored. Look at the state of the request.',
  },
  undo: {
    notStored: 'The approval was not undone. Press again.',
    notKnown: 'It is not known whether the approval was undone. Look at the state of the request.',
  },
};

/**
 * Reads the action after a decision that the gateway did not answer, or answered with its own failure.
 * @param seen the action when the person decided
 * @returns the action if the decision was stored
 * @throws ApiFailure that says whether it was. 409: somebody else was faster
 */
export async function recoverDecision(
  { status, message, requestId, outage }: ApiFailure,
  seen: ActionSummary,
  decision: TakenDecision,
  personId: number | undefined,
): Promise<ActionSummary> {
  const found = await readSummary(seen.action_id, AbortSignal.timeout(READ_MS)).catch(() => null);
  if (found && isStored[decision](found, personId)) return found;
  if (found && found.status !== seen.status) throw new ApiFailure(message, 409, requestId, null);
  const { notStored, notKnown } = WORDS[decision];
  // Without an answer, the gateway may still store it.
  const text = status === 0 ? `${message} ${notKnown}` : found ? notStored : notKnown;
  throw new ApiFailure(text, status, requestId, null, outage);
}
