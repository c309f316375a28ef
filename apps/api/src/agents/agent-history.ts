import type { DataSource, EntityManager } from 'typeorm';
import { inBatches, inShortStatements, isLong } from '#database';

const ACTIONS = 'SELECT FROM actions WHERE agent_id = $1';
const KEYS = 'SELECT FROM idempotency_records WHERE agent_id = $1';

/** Detaches closed actions from the agent. Open ones expire when the agent is deleted. */
const LEAVE_ACTIONS = `
  UPDATE actions SET agent_id = NULL WHERE id IN
    (SELECT id FROM actions WHERE agent_id = $1 AND status NOT IN ('PENDING', 'APPROVED') LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/** Deletes the agent's idempotency keys, except those of requests in progress. */
const DELETE_KEYS = `
  DELETE FROM idempotency_records WHERE agent_id = $1 AND key IN
    (SELECT key FROM idempotency_records WHERE agent_id = $1 AND status <> 'processing' LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/** Whether an agent has so many actions or keys that deleting its row would exceed the statement timeout. */
export const hasLongHistory = async (source: DataSource, agentId: number): Promise<boolean> =>
  (await isLong(source, ACTIONS, agentId)) || (await isLong(source, KEYS, agentId));

/**
 * Separates an agent from its history. Call it only for a revoked agent: its idempotency keys are gone afterwards, so
 * they can't answer a repeated request.
 */
export async function leaveHistory(source: DataSource, agentId: number): Promise<void> {
  await inBatches(source, LEAVE_ACTIONS, agentId);
  await inBatches(source, DELETE_KEYS, agentId);
}

/**
 * Does the same in the caller's transaction, which also deletes the agent, so that nobody sees the agent without its
 * keys. Skips rows that others have locked; the deletion of the agent handles them.
 */
export async function leaveHistoryIn(tx: EntityManager, agentId: number): Promise<void> {
  await inShortStatements(
    tx,
    'SELECT id FROM actions WHERE agent_id = $1 FOR NO KEY UPDATE SKIP LOCKED',
    agentId,
    'UPDATE actions SET agent_id = NULL WHERE id = ANY ($1::uuid[])',
  );
  await inShortStatements(
    tx,
    'SELECT key AS id FROM idempotency_records WHERE agent_id = $1 FOR NO KEY UPDATE SKIP LOCKED',
    agentId,
    'DELETE FROM idempotency_records WHERE key = ANY ($1::text[]) AND agent_id = $2',
  );
}
