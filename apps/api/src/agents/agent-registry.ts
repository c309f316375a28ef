import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import {
  normalCallbackHost,
  type Agent,
  type CreateAgentRequest,
  type CreateAgentResponse,
  type NamedRef,
  type RotateKeyResponse,
  type UpdateAgentRequest,
} from '#contracts';
import { AgentEntity, AgentServiceEntity, inTransaction, ServiceEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { newAgentKey } from '../crypto/agent-keys.js';
import { columnsSql, isoOf, rowsOf, utcSql, type Columns } from '../platform/columns.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../services/change-author.js';

/** Moments as `isoOf` reads them. */
type AgentColumns = Omit<Agent, 'userId' | 'services'>;
type ScopeColumns = NamedRef & { agentId: number };

/** SQL over $1 user and $2 one agent, or null for all. */
const AGENTS = `
  SELECT (SELECT ${columnsSql({
    id: 'id',
    name: 'name',
    keyPrefix: 'key_prefix',
    isActive: 'is_active',
    // As JSON: arrays of unequal lengths can't be aggregated.
    callbackHosts: 'to_json(callback_hosts)',
    callbackRequestedHost: 'requested_host',
    lastUsedAt: utcSql('last_used_at'),
    createdAt: utcSql('created_at'),
    updatedAt: utcSql('updated_at'),
  })} FROM (SELECT a.*, r.host AS requested_host FROM agents a LEFT JOIN callback_requests r ON r.agent_id = a.id
           WHERE user_id = $1 AND ($2::int IS NULL OR id = $2) ORDER BY id) a) AS agents,
    (SELECT ${columnsSql({ agentId: 'agent_id', id: 'id', name: 'name' })}
     FROM (SELECT x.agent_id, s.id, s.name FROM agent_services x JOIN services s ON s.id = x.service_id
           WHERE s.user_id = $1 AND ($2::int IS NULL OR x.agent_id = $2) ORDER BY s.id) x) AS scopes`;

/** The agents of each user, their keys and scopes. An agent of another user is not found. */
@Injectable()
export class AgentRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  list(userId: number): Promise<Agent[]> {
    return readAgents(this.source.manager, userId, null);
  }

  get(userId: number, id: number): Promise<Agent> {
    return findAgent(this.source.manager, userId, id);
  }

  /** The key is in the answer, and nowhere else. */
  create(author: ChangeAuthor, request: CreateAgentRequest): Promise<CreateAgentResponse> {
    const { key, hash, prefix } = newAgentKey();
    const userId = author.actor.id;
    return inTransaction(this.source, async (tx) => {
      const services = await lockOwnServices(tx, userId, request.serviceIds, null);
      const now = this.clock.now();
      const { identifiers } = await tx.insert(AgentEntity, {
        userId,
        name: request.name,
        keyHash: hash,
        keyPrefix: prefix,
        isActive: true,
        callbackHosts: [],
        lastUsedAt: null,
        createdAt: now,
        updatedAt: now,
      });
      const { id } = identifiers[0] as { id: number };
      await tx.insert(AgentServiceEntity, scopeOf(id, services));
      await this.audit.recordChange(tx, {
        ...author,
        reason: 'agent.created',
        agent: { id, name: request.name },
        details: { keyPrefix: prefix, services },
      });
      const { lastUsedAt: _, ...agent } = await findAgent(tx, userId, id);
      return { agent, apiKey: key };
    });
  }

  update(author: ChangeAuthor, id: number, { name, isActive, callbackHosts }: UpdateAgentRequest): Promise<Agent> {
    const set = { name, isActive, callbackHosts: callbackHosts && normalHosts(callbackHosts) };
    return inTransaction(this.source, async (tx) => {
      const agent = await lockAgent(tx, author.actor.id, id);
      await tx.update(AgentEntity, { id }, { ...set, updatedAt: this.clock.now() });
      // Whoever saves the list has seen what the agent asked for.
      if (callbackHosts) await tx.query('DELETE FROM callback_requests WHERE agent_id = $1', [id]);
      await this.audit.recordChange(tx, {
        ...author,
        reason: 'agent.updated',
        agent: { id, name: name ?? agent.name },
        details: {
          from: {
            name: agent.name,
            isActive: agent.isActive,
            ...(callbackHosts && { callbackHosts: agent.callbackHosts }),
          },
          to: set,
        },
      });
      return findAgent(tx, author.actor.id, id);
    });
  }

  /** Its key ends with it; its open actions expire, so that nobody decides for nothing; records stay (contract 3). */
  async delete(author: ChangeAuthor, id: number): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      await findAgent(tx, author.actor.id, id);
      await lockOwnServices(tx, author.actor.id, [], id);
      const agent = await lockAgent(tx, author.actor.id, id, 'pessimistic_write');
      await tx.query(
        `UPDATE actions SET status = 'EXPIRED'
         WHERE agent_id = $1 AND (status = 'PENDING' OR (status = 'APPROVED' AND claim_id IS NULL))`,
        [id],
      );
      await tx.delete(AgentEntity, { id });
      await this.audit.recordChange(tx, { ...author, reason: 'agent.deleted', agent: { id, name: agent.name } });
    });
  }

  /** Replaces the whole scope. */
  replaceScope(author: ChangeAuthor, id: number, serviceIds: number[]): Promise<NamedRef[]> {
    return inTransaction(this.source, async (tx) => {
      // Services are locked before agents, here as in the triggers that count versions up.
      await findAgent(tx, author.actor.id, id);
      const services = await lockOwnServices(tx, author.actor.id, serviceIds, id);
      const agent = await lockAgent(tx, author.actor.id, id);
      await tx.delete(AgentServiceEntity, { agentId: id });
      await tx.insert(AgentServiceEntity, scopeOf(id, services));
      await tx.update(AgentEntity, { id }, { updatedAt: this.clock.now() });
      await this.audit.recordChange(tx, {
        ...author,
        reason: 'agent.scope_replaced',
        agent: { id, name: agent.name },
        details: { services },
      });
      return services;
    });
  }

  /** The old key ends with the commit. The new one is in the answer, and nowhere else. */
  rotateKey(author: ChangeAuthor, id: number): Promise<RotateKeyResponse> {
    const { key, hash, prefix } = newAgentKey();
    return inTransaction(this.source, async (tx) => {
      const agent = await lockAgent(tx, author.actor.id, id);
      await tx.update(AgentEntity, { id }, { keyHash: hash, keyPrefix: prefix, updatedAt: this.clock.now() });
      await this.audit.recordChange(tx, {
        ...author,
        reason: 'agent.key_rotated',
        agent: { id, name: agent.name },
        details: { from: { keyPrefix: agent.keyPrefix }, to: { keyPrefix: prefix } },
      });
      return { agent: await findAgent(tx, author.actor.id, id), apiKey: key };
    });
  }
}

/** What responses show of agents: the keys' hashes are not in it. */
async function readAgents(tx: EntityManager, userId: number, id: number | null): Promise<Agent[]> {
  const [found]: { agents: Columns<AgentColumns>; scopes: Columns<ScopeColumns> }[] = await tx.query(AGENTS, [
    userId,
    id,
  ]);
  const services = new Map<number, NamedRef[]>();
  for (const { agentId, id: serviceId, name } of rowsOf(found.scopes)) {
    const known = services.get(agentId);
    if (known) known.push({ id: serviceId, name });
    else services.set(agentId, [{ id: serviceId, name }]);
  }
  return rowsOf(found.agents).map((row) => ({
    // Not spread: of objects made in a loop that costs three times as much as all the rest.
    id: row.id,
    userId,
    name: row.name,
    keyPrefix: row.keyPrefix,
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
async function findAgent(tx: EntityManager, userId: number, id: number): Promise<Agent> {
  const [agent] = await readAgents(tx, userId, id);
  if (!agent) throw errors.resourceNotFound();
  return agent;
}

/** The user's agent, locked until the transaction ends. @throws ApiError 404 */
async function lockAgent(
  tx: EntityManager,
  userId: number,
  id: number,
  mode: 'for_no_key_update' | 'pessimistic_write' = 'for_no_key_update',
): Promise<AgentEntity> {
  const agent = await tx.findOne(AgentEntity, { where: { id, userId }, lock: { mode } });
  if (!agent) throw errors.resourceNotFound();
  return agent;
}

/**
 * The user's services, kept as they are until the transaction ends. Those that the agent has in its scope now are locked
 * too: a service that is deleted takes its row of the scope with it, and then waits for the agent.
 * @throws ApiError 404 unless all are theirs
 */
async function lockOwnServices(
  tx: EntityManager,
  userId: number,
  ids: number[],
  agentId: number | null,
): Promise<NamedRef[]> {
  const wanted = new Set(ids);
  const scope = agentId === null ? [] : await tx.findBy(AgentServiceEntity, { agentId });
  const services = await tx.find(ServiceEntity, {
    select: { id: true, name: true },
    where: { id: In([...wanted, ...scope.map(({ serviceId }) => serviceId)]), userId },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_read' },
  });
  const found = services.filter(({ id }) => wanted.has(id));
  if (found.length < wanted.size) throw errors.serviceNotFound();
  return found.map(({ id, name }) => ({ id, name }));
}

function scopeOf(agentId: number, services: NamedRef[]): AgentServiceEntity[] {
  return services.map(({ id }) => ({ agentId, serviceId: id }));
}

/** As they are compared with the hosts of URLs, each once. `agent-rules.ts` has refused entries that are no hosts. */
function normalHosts(entries: string[]): string[] {
  const hosts = entries.map(normalCallbackHost);
  return [...new Set(hosts.filter((host) => host !== null))];
}
