import type { EntityManager } from 'typeorm';

/**
 * Stores the host that an agent requested and may not use. Its owner sees it as a suggestion. Only the latest host is
 * stored, so that an agent can't fill the table.
 */
export async function rememberRequestedHost(tx: EntityManager, agentId: number, host: string, at: Date): Promise<void> {
  await tx.query(
    `INSERT INTO callback_requests (agent_id, host, requested_at) VALUES ($1, $2, $3)
     ON CONFLICT (agent_id) DO UPDATE SET host = excluded.host, requested_at = excluded.requested_at
     WHERE callback_requests.host <> excluded.host`,
    [agentId, host, at],
  );
}
