import type { EntityManager } from 'typeorm';
import type { ActionEntity } from '#database';
import { EXECUTION_IN_PROGRESS } from './action-state.js';
import { isApproverSql } from './approvers.js';

/**
 * An action that waits again must not be the twin of one that was queued meanwhile: equal requests without a key share
 * one pending action. A twin whose time is over no longer waits.
 */
const EXPIRE_TWIN = `
  UPDATE actions twin SET status = 'EXPIRED' FROM actions a
  WHERE a.id = $1 AND twin.agent_id = a.agent_id AND twin.dedupe_hash = a.dedupe_hash AND twin.id <> a.id
    AND twin.status = 'PENDING' AND twin.expires_at <= clock_timestamp()`;

/** Takes back the approval of a person, so that the action waits as before. $1 the action, $2 the person. */
const UNDO = `
  UPDATE actions SET status = 'PENDING',
    approvals = (
      SELECT coalesce(jsonb_agg(x.given ORDER BY x.place), '[]')
      FROM jsonb_array_elements(actions.approvals) WITH ORDINALITY x(given, place)
      WHERE (x.given ->> 'id')::int <> $2::int),
    dedupe_hash = CASE WHEN NOT EXISTS (
      SELECT FROM actions twin WHERE twin.agent_id = actions.agent_id AND twin.dedupe_hash = actions.dedupe_hash
        AND twin.id <> actions.id AND twin.status = 'PENDING') THEN dedupe_hash END,
    resolved_at = NULL, resolved_by = NULL, resolved_by_name = NULL, resolution_note = NULL, approval_expires_at = NULL,
    counts_from = NULL, approved_digest = NULL
  WHERE id = $1 AND expires_at > clock_timestamp()
    AND (status = 'PENDING' OR status = 'APPROVED' AND claim_id IS NULL AND approval_expires_at > clock_timestamp())
    AND approvals @> jsonb_build_array(jsonb_build_object('id', $2::int)) AND ${isApproverSql('actions', '$2::int')}`;

/**
 * @returns whether the approval was taken back, and how many twins have expired
 * @throws a unique violation when an equal request is queued at this moment: repeat the transaction
 */
export async function takeBack(
  tx: EntityManager,
  actionId: string,
  personId: number,
): Promise<{ isUndone: boolean; expired: number }> {
  const [, expired]: [unknown, number] = await tx.query(EXPIRE_TWIN, [actionId]);
  const [, changed]: [unknown, number] = await tx.query(UNDO, [actionId, personId]);
  return { isUndone: changed === 1, expired };
}

/** Why the approval of a person can't be taken back. null: the action does not prevent it. */
export function whyNotUndone(action: ActionEntity, personId: number): string | null {
  const { effectiveStatus: status, claimId, expiresInMs, approvals } = action;
  if (status !== 'PENDING' && status !== 'APPROVED') return `the action is ${status}`;
  if (claimId !== null) return `the action is ${EXECUTION_IN_PROGRESS}`;
  if (!approvals.some(({ id }) => id === personId))
    return status === 'APPROVED' ? 'other people gave it' : 'you have not given one';
  if (expiresInMs <= 0) return 'the time to decide has passed. Withdraw it to deny the request';
  return null;
}
