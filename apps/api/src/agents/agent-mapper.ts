import type { Agent, CreatedAgent, NamedRef } from '#contracts';

/** An agent with its scope, as `AGENT_SQL` selects it. */
export interface AgentRow {
  id: number;
  userId: number;
  name: string;
  keyPrefix: string;
  isActive: boolean;
  lastUsedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  services: NamedRef[];
}

/** Rows of `agents`, as `a`, with what a response shows of them: the key's hash is not in it. */
export const AGENT_SQL = `
  SELECT a.id, a.user_id AS "userId", a.name, a.key_prefix AS "keyPrefix", a.is_active AS "isActive",
    a.last_used_at AS "lastUsedAt", a.created_at AS "createdAt", a.updated_at AS "updatedAt",
    (SELECT coalesce(json_agg(json_build_object('id', s.id, 'name', s.name) ORDER BY s.id), '[]')
     FROM agent_services x JOIN services s ON s.id = x.service_id WHERE x.agent_id = a.id) AS services
  FROM agents a`;

export function toAgent(row: AgentRow): Agent {
  return Object.assign(toCreatedAgent(row), { lastUsedAt: row.lastUsedAt?.toISOString() ?? null });
}

export function toCreatedAgent(row: AgentRow): CreatedAgent {
  return {
    id: row.id,
    userId: row.userId,
    name: row.name,
    keyPrefix: row.keyPrefix,
    isActive: row.isActive,
    services: row.services,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
