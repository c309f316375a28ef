import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import type {
  Agent,
  CreateAgentRequest,
  CreateAgentResponse,
  NamedRef,
  RotateKeyResponse,
  UpdateAgentRequest,
} from '#contracts';
import { AgentEntity, AgentServiceEntity, inTransaction, ServiceEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { newAgentKey } from '../crypto/agent-keys.js';
import { columnsSql, msSql, rowsOf, type Columns } from '../platform/columns.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../services/change-author.js';
import { AGENT_SQL, toAgent, toCreatedAgent, type AgentRow } from './agent-mapper.js';

type AgentColumns = Pick<AgentRow, 'id' | 'name' | 'keyPrefix' | 'isActive'> & {
  lastUsedMs: number | null;
  createdMs: number;
  updatedMs: number;
};
type ScopeColumns = NamedRef & { agentId: number };

const LIST = `
  SELECT (SELECT ${columnsSql({
    id: 'id',
    name: 'name',
    keyPrefix: 'key_prefix',
    isActive: 'is_active',
    lastUsedMs: msSql('last_used_at'),
    createdMs: msSql('created_at'),
    updatedMs: msSql('updated_at'),
  })} FROM (SELECT * FROM agents WHERE user_id = $1 ORDER BY id) a) AS agents,
    (SELECT ${columnsSql({ agentId: 'agent_id', id: 'id', name: 'name' })}
     FROM (SELECT x.agent_id, s.id, s.name FROM agent_services x JOIN services s ON s.id = x.service_id
           WHERE s.user_id = $1 ORDER BY s.id) x) AS scopes`;

/** The agents of each user, their keys and scopes. An agent of another user is not found. */
@Injectable()
export class AgentRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  async list(userId: number): Promise<Agent[]> {
    const [found]: { agents: Columns<AgentColumns>; scopes: Columns<ScopeColumns> }[] = await this.source.query(LIST, [
      userId,
    ]);
    const services = new Map<number, NamedRef[]>();
    for (const { agentId, id, name } of rowsOf(found.scopes)) {
      const known = services.get(agentId);
      if (known) known.push({ id, name });
      else services.set(agentId, [{ id, name }]);
    }
    return rowsOf(found.agents).map((row) =>
      toAgent({
        // Not spread: of objects made in a loop that costs three times as much as all the rest.
        id: row.id,
        userId,
        name: row.name,
        keyPrefix: row.keyPrefix,
        isActive: row.isActive,
        lastUsedAt: row.lastUsedMs === null ? null : new Date(row.lastUsedMs),
        createdAt: new Date(row.createdMs),
        updatedAt: new Date(row.updatedMs),
        services: services.get(row.id) ?? [],
      }),
    );
  }

  async get(userId: number, id: number): Promise<Agent> {
    return toAgent(await findAgent(this.source.manager, userId, id));
  }

  /** The key is in the answer, and nowhere else. */
  create(author: ChangeAuthor, request: CreateAgentRequest): Promise<CreateAgentResponse> {
    const { key, hash, prefix } = newAgentKey();
    const userId = author.actor.id;
    return inTransaction(this.source, async (tx) => {
      const services = await lockOwnServices(tx, userId, request.serviceIds);
      const now = this.clock.now();
      const { identifiers } = await tx.insert(AgentEntity, {
        userId,
        name: request.name,
        keyHash: hash,
        keyPrefix: prefix,
        isActive: true,
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
      return { agent: toCreatedAgent(await findAgent(tx, userId, id)), apiKey: key };
    });
  }

  update(author: ChangeAuthor, id: number, { name, isActive }: UpdateAgentRequest): Promise<Agent> {
    return inTransaction(this.source, async (tx) => {
      const agent = await lockAgent(tx, author.actor.id, id);
      await tx.update(AgentEntity, { id }, { name, isActive, updatedAt: this.clock.now() });
      await this.audit.recordChange(tx, {
        ...author,
        reason: 'agent.updated',
        agent: { id, name: name ?? agent.name },
        details: { from: { name: agent.name, isActive: agent.isActive }, to: { name, isActive } },
      });
      return toAgent(await findAgent(tx, author.actor.id, id));
    });
  }

  /** Its key ends with it; its open actions expire, so that nobody decides for nothing; records stay (contract 3). */
  async delete(author: ChangeAuthor, id: number): Promise<void> {
    await inTransaction(this.source, async (tx) => {
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
      const agent = await lockAgent(tx, author.actor.id, id);
      const services = await lockOwnServices(tx, author.actor.id, serviceIds);
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
      return { agent: toAgent(await findAgent(tx, author.actor.id, id)), apiKey: key };
    });
  }
}

async function findAgent(tx: EntityManager, userId: number, id: number): Promise<AgentRow> {
  const rows: AgentRow[] = await tx.query(`${AGENT_SQL} WHERE a.user_id = $1 AND a.id = $2`, [userId, id]);
  if (rows.length === 0) throw errors.resourceNotFound();
  return rows[0];
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

/** The user's services, kept from being deleted until the transaction ends. @throws ApiError 404 unless all are theirs */
async function lockOwnServices(tx: EntityManager, userId: number, ids: number[]): Promise<NamedRef[]> {
  const wanted = [...new Set(ids)];
  const services = await tx.find(ServiceEntity, {
    select: { id: true, name: true },
    where: { id: In(wanted), userId },
    order: { id: 'ASC' },
    lock: { mode: 'for_key_share' },
  });
  if (services.length < wanted.length) throw errors.serviceNotFound();
  return services.map(({ id, name }) => ({ id, name }));
}

function scopeOf(agentId: number, services: NamedRef[]): AgentServiceEntity[] {
  return services.map(({ id }) => ({ agentId, serviceId: id }));
}
