import type { EntityManager } from 'typeorm';
import type { Agent } from '#contracts';
import { errors } from '../platform/errors.js';
import { KEY_EXPIRES_AT_SQL } from './agent-directory.js';

/** A row of `AGENTS`. */
interface AgentRow extends Omit<
  Agent,
  'keyCreatedAt' | 'keyExpiresAt' | 'lastUsedAt' | 'createdAt' | 'updatedAt' | 'previousKey'
> {
  keyCreatedAt: Date;
  keyExpiresAt: Date | null;
  /** JSON, so its times are texts. */
  previousKey: { keyPrefix: string; expiresAt: string; lastUsedAt: string | null } | null;
  lastUsedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The rotated key that was used last. If none was used, the newest one. */
const PREVIOUS_KEY = `(SELECT json_build_object('keyPrefix', k.key_prefix, 'expiresAt', k.expires_at, 'lastUsedAt', k.last_used_at)
  FROM previous_agent_keys k WHERE k.agent_id = a.id AND k.expires_at > now()
  ORDER BY k.last_used_at DESC NULLS LAST, k.created_at DESC LIMIT 1)`;

const SCOPE = `(SELECT coalesce(json_agg(json_build_object('id', s.id, 'name', s.name) ORDER BY s.id), '[]')
  FROM agent_services x JOIN services s ON s.id = x.service_id WHERE x.agent_id = a.id AND s.workspace_id = $1)`;

/** Parameters: $1 the workspace; $2 an agent, or null for all agents. */
const AGENTS = `
  SELECT a.id, a.user_id AS "userId", a.name, a.key_prefix AS "keyPrefix", a.key_created_at AS "keyCreatedAt",
    a.key_lifetime_days AS "keyLifetimeDays", ${KEY_EXPIRES_AT_SQL} AS "keyExpiresAt", ${PREVIOUS_KEY} AS "previousKey",
    a.addresses, a.is_active AS "isActive", a.last_used_at AS "lastUsedAt", ${SCOPE} AS services,
    a.callback_hosts AS "callbackHosts", r.host AS "callbackRequestedHost", a.created_at AS "createdAt", a.updated_at AS "updatedAt"
  FROM agents a LEFT JOIN callback_requests r ON r.agent_id = a.id
  WHERE a.workspace_id = $1 AND ($2::int IS NULL OR a.id = $2) ORDER BY a.id`;

/** Reads agents in the form that responses show, without the hashes of their keys. */
export async function readAgents(tx: EntityManager, workspaceId: number, id: number | null): Promise<Agent[]> {
  const rows: AgentRow[] = await tx.query(AGENTS, [workspaceId, id]);
  return rows.map(toAgent);
}

const toAgent = (row: AgentRow): Agent => ({
  id: row.id,
  userId: row.userId,
  name: row.name,
  keyPrefix: row.keyPrefix,
  keyCreatedAt: row.keyCreatedAt.toISOString(),
  keyLifetimeDays: row.keyLifetimeDays,
  keyExpiresAt: row.keyExpiresAt?.toISOString() ?? null,
  previousKey: row.previousKey && {
    keyPrefix: row.previousKey.keyPrefix,
    expiresAt: new Date(row.previousKey.expiresAt).toISOString(),
    lastUsedAt: row.previousKey.lastUsedAt && new Date(row.previousKey.lastUsedAt).toISOString(),
  },
  addresses: row.addresses,
  isActive: row.isActive,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  services: row.services,
  callbackHosts: row.callbackHosts,
  callbackRequestedHost: row.callbackRequestedHost,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** @throws ApiError 404 */
export async function findAgent(tx: EntityManager, workspaceId: number, id: number): Promise<Agent> {
  const [agent] = await readAgents(tx, workspaceId, id);
  if (!agent) throw errors.resourceNotFound();
  return agent;
}
