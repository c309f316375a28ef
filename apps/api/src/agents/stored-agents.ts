import type { EntityManager } from 'typeorm';
import type { Agent, NamedRef } from '#contracts';
import { columnsSql, isoOf, rowsOf, utcSql, type Columns } from '../platform/fast-lane/columns.js';
import { errors } from '../platform/errors.js';
import { KEY_EXPIRES_AT_SQL } from './agent-directory.js';

/** Timestamps are in the format that `isoOf` reads. */
type AgentColumns = Omit<Agent, 'services'>;
type ScopeColumns = NamedRef & { agentId: number };

/** The rotated key that was used last. If none was used, the newest one. */
const PREVIOUS_KEY = `(SELECT json_build_object('keyPrefix', k.key_prefix, 'expiresAt', ${utcSql('k.expires_at')},
    'lastUsedAt', ${utcSql('k.last_used_at')})
  FROM previous_agent_keys k WHERE k.agent_id = a.id AND k.expires_at > now()
  ORDER BY k.last_used_at DESC NULLS LAST, k.created_at DESC LIMIT 1)`;

/** Parameters: $1 the workspace; $2 an agent, or null for all agents. */
const AGENTS = `
  SELECT (SELECT ${columnsSql({
    id: 'id',
    userId: 'user_id',
    name: 'name',
    keyPrefix: 'key_prefix',
    keyCreatedAt: utcSql('key_created_at'),
    keyLifetimeDays: 'key_lifetime_days',
    keyExpiresAt: utcSql(`(${KEY_EXPIRES_AT_SQL})`),
    previousKey: PREVIOUS_KEY,
    addresses: 'to_json(addresses)',
    isActive: 'is_active',
    // As JSON, because PostgreSQL can't aggregate arrays of different lengths.
    callbackHosts: 'to_json(callback_hosts)',
    callbackRequestedHost: 'requested_host',
    lastUsedAt: utcSql('last_used_at'),
    createdAt: utcSql('created_at'),
    updatedAt: utcSql('updated_at'),
  })} FROM (SELECT a.*, r.host AS requested_host FROM agents a LEFT JOIN callback_requests r ON r.agent_id = a.id
           WHERE workspace_id = $1 AND ($2::int IS NULL OR id = $2) ORDER BY id) a) AS agents,
    (SELECT ${columnsSql({ agentId: 'agent_id', id: 'id', name: 'name' })}
     FROM (SELECT x.agent_id, s.id, s.name FROM agent_services x JOIN services s ON s.id = x.service_id
           WHERE s.workspace_id = $1 AND ($2::int IS NULL OR x.agent_id = $2) ORDER BY s.id) x) AS scopes`;

/** Reads agents in the form that responses show, without the hashes of their keys. */
export async function readAgents(tx: EntityManager, workspaceId: number, id: number | null): Promise<Agent[]> {
  const [found]: { agents: Columns<AgentColumns>; scopes: Columns<ScopeColumns> }[] = await tx.query(AGENTS, [
    workspaceId,
    id,
  ]);
  const services = new Map<number, NamedRef[]>();
  for (const { agentId, id: serviceId, name } of rowsOf(found.scopes)) {
    const known = services.get(agentId);
    if (known) known.push({ id: serviceId, name });
    else services.set(agentId, [{ id: serviceId, name }]);
  }
  return rowsOf(found.agents).map((row) => ({
    // Without a spread: for objects created in a loop, it costs three times as much as everything else here.
    id: row.id,
    userId: row.userId,
    name: row.name,
    keyPrefix: row.keyPrefix,
    keyCreatedAt: isoOf(row.keyCreatedAt),
    keyLifetimeDays: row.keyLifetimeDays,
    keyExpiresAt: row.keyExpiresAt && isoOf(row.keyExpiresAt),
    previousKey: row.previousKey && {
      keyPrefix: row.previousKey.keyPrefix,
      expiresAt: isoOf(row.previousKey.expiresAt.replace('T', ' ')),
      lastUsedAt: row.previousKey.lastUsedAt && isoOf(row.previousKey.lastUsedAt.replace('T', ' ')),
    },
    addresses: row.addresses,
    isActive: row.isActive,
    lastUsedAt: row.lastUsedAt && isoOf(row.lastUsedAt),
    services: services.get(row.id) ?? [],
    callbackHosts: row.callbackHosts,
    callbackRequestedHost: row.callbackRequestedHost,
    createdAt: isoOf(row.createdAt),
    updatedAt: isoOf(row.updatedAt),
  }));
}

/** @throws ApiError 404 */
export async function findAgent(tx: EntityManager, workspaceId: number, id: number): Promise<Agent> {
  const [agent] = await readAgents(tx, workspaceId, id);
  if (!agent) throw errors.resourceNotFound();
  return agent;
}
