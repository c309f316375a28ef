import type { HeldResponse } from '#contracts';
import { POLL_INTERVAL_SECONDS } from '#contracts/limits';
import type { ActionEntity } from '#database';
import { aboutRevision, afterRevision } from '../approvals/revised-words.js';

/** The body of a 428. Its `next` tells a language model in one sentence what to do and what not to do. */
export function toHeldResponse(action: ActionEntity): HeldResponse {
  const statusUrl = `/status/${action.id}`;
  return {
    error: 'Request requires human approval',
    statusCode: 428,
    action_id: action.id,
    risk_score: action.riskScore,
    risk_explanation: action.riskExplanation,
    status_url: statusUrl,
    executed: false,
    expires_at: action.expiresAt.toISOString(),
    next: formatNext(action, statusUrl),
  };
}

function formatNext({ id, revises, revisedAs }: ActionEntity, statusUrl: string): string {
  if (revisedAs !== null) return `Nothing was sent. ${afterRevision(revisedAs)}`;
  if (revises !== null) return `Nothing was sent. ${aboutRevision(id)}`;
  return (
    `Nothing was sent: GET ${statusUrl} every ${POLL_INTERVAL_SECONDS} seconds (or once with the header "Prefer: wait=60") ` +
    `until its status is APPROVED, then POST /proxy/execute/${id} exactly once; ` +
    'on DENIED or EXPIRED stop and tell your user, and do not try another way.'
  );
}
