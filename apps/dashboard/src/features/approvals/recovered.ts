import type { ActionSummary } from '#contracts';
import { ApiFailure, failure } from '../../lib/http.js';
import { messages } from './messages.js';
import type { TakenDecision } from './recover-decision.js';

/**
 * Finds out what became of a decision when the gateway or the network failed. The code for that is loaded when it is
 * needed, and may then be unreachable too.
 * @returns the action if the decision was stored
 * @throws other errors as they are
 */
export async function recovered(
  error: unknown,
  seen: ActionSummary,
  decision: TakenDecision,
  personId: number | undefined,
): Promise<ActionSummary> {
  const failed = failure(error);
  const { status, message, requestId, outage } = failed;
  if (!outage && status !== 500) throw error;
  const part = await import('./recover-decision.js').catch(() => null);
  if (part) return part.recoverDecision(failed, seen, decision, personId);
  throw new ApiFailure(`${message} ${messages.decide.notKnown}`, status, requestId, null, outage);
}
