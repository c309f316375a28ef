import type { DataSource } from 'typeorm';
import { inBatches, isLong } from '#database';

const ACTIONS = 'SELECT FROM actions WHERE agent_id = $1';
const KEYS = 'SELECT FROM idempotency_records WHERE agent_id = $1';

/** What is over. Open actions expire when the agent is deleted. */
const LEAVE_ACTIONS = `
  UPDATE actions SET agent_id = NULL WHERE id IN
    (SELECT id FROM actions WHERE agent_id = $1 AND status NOT IN ('PENDING', 'APPROVED') LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/** Not the keys of requests that are under way. */
const DELETE_KEYS = `
  DELETE FROM idempotency_records WHERE agent_id = $1 AND key IN
    (SELECT key FROM idempotency_records WHERE agent_id = $1 AND status <> 'processing' LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/** Whether an agent has so many actions or keys that deleting its row would take longer than a statement may. */
export const hasLongHistory = async (source: DataSource, agentId: number): Promise<boolean> =>
  (await isLong(source, ACTIONS, agentId)) || (await isLong(source, KEYS, agentId));

/** Separates an agent from its history. Call it for an agent that is revoked: its keys answer no repeated request afterwards. */
export async function leaveHistory(source: DataSource, agentId: number): Promise<void> {
  await inBatches(source, LEAVE_ACTIONS, agentId);
  await inBatches(source, DELETE_KEYS, agentId);
}
