import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, type EntityManager } from 'typeorm';
import {
  normalCallbackHost,
  type Agent,
  type CreateAgentRequest,
  type CreateAgentResponse,
  type NamedRef,
  type RotateKeyResponse,
  type UpdateAgentRequest,
} from '#contracts';
import {
  ActionEntity,
  AgentEntity,
  AgentServiceEntity,
  CallbackRequestEntity,
  inTransaction,
  PreviousAgentKeyEntity,
  ServiceEntity,
} from '#database';
import { Confirmations } from '../auth/confirmations.js';
import { AuditLog } from '../audit/audit-log.js';
import { newAgentKey } from '../crypto/agent-keys.js';
import { keepWorkspace } from '../membership/memberships.js';
import { Metrics } from '../observability/metrics.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../membership/change-author.js';
import { KEY_EXPIRES_AT_SQL } from './agent-directory.js';
import { hasLongHistory, leaveHistory, leaveHistoryIn } from './agent-history.js';
import { findAgent, readAgents } from './stored-agents.js';

const PREVIOUS_KEYS_MAX = 5;

/**
 * $1 the agent, $2 minutes, $3 how many older keys stay. The old key never outlives its own expiry. If somebody rotates
 * again and again, the oldest keys end.
 */
const KEEP_KEY = `
  WITH ended AS (
    DELETE FROM previous_agent_keys WHERE agent_id = $1 AND key_hash NOT IN
      (SELECT key_hash FROM previous_agent_keys WHERE agent_id = $1 AND expires_at > now() ORDER BY created_at DESC LIMIT $3))
  INSERT INTO previous_agent_keys (key_hash, agent_id, key_prefix, rotated_by, expires_at, last_used_at, created_at)
  SELECT key_hash, id, key_prefix, key_rotated_by, least(now() + make_interval(mins => $2), ${KEY_EXPIRES_AT_SQL}), last_used_at, clock_timestamp()
  FROM agents a WHERE id = $1 AND coalesce(${KEY_EXPIRES_AT_SQL} > now(), true)`;

/** Manages the agents of workspaces, their keys and scopes. An agent of another workspace is reported as not found. */
@Injectable()
export class AgentRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly confirmations: Confirmations,
    private readonly metrics: Metrics,
  ) {}

  list(workspaceId: number): Promise<Agent[]> {
    return readAgents(this.source.manager, workspaceId, null);
  }

  get(workspaceId: number, id: number): Promise<Agent> {
    return findAgent(this.source.manager, workspaceId, id);
  }

  /** Creates an agent. Only this response contains its key. */
  create(author: ChangeAuthor, request: CreateAgentRequest): Promise<CreateAgentResponse> {
    return inTransaction(this.source, (tx) => this.createIn(tx, author, request));
  }

  /** Does the same in the caller's transaction. */
  async createIn(tx: EntityManager, author: ChangeAuthor, request: CreateAgentRequest): Promise<CreateAgentResponse> {
    const { key, hash, prefix } = newAgentKey();
    const { workspaceId, id: userId } = author.actor;
    await keepWorkspace(tx, workspaceId);
    const services = await lockOwnServices(tx, workspaceId, request.serviceIds, null);
    // Whoever gets a key can send everything that the rules allow, and no person decides about it.
    await this.confirmations.assertMayWeaken(tx, author.actor);
    const now = this.clock.now();
    const { identifiers } = await tx.insert(AgentEntity, {
      workspaceId,
      userId,
      name: request.name,
      keyHash: hash,
      keyPrefix: prefix,
      keyCreatedAt: () => 'now()',
      isActive: true,
      callbackHosts: [],
      lastUsedAt: null,
      createdAt: now,
      updatedAt: now,
    });
    const { id } = identifiers[0] as { id: number };
    await insertScope(tx, id, services);
    await this.audit.recordChange(tx, {
      ...author,
      reason: 'agent.created',
      agent: { id, name: request.name },
      details: { keyPrefix: prefix, services },
    });
    const { lastUsedAt: _, ...agent } = await findAgent(tx, workspaceId, id);
    return { agent, apiKey: key };
  }

  update(author: ChangeAuthor, id: number, request: UpdateAgentRequest): Promise<Agent> {
    return inTransaction(this.source, (tx) => this.updateIn(tx, author, id, request));
  }

  /** Does the same in the caller's transaction. */
  async updateIn(tx: EntityManager, author: ChangeAuthor, id: number, request: UpdateAgentRequest): Promise<Agent> {
    const { name, isActive, callbackHosts, keyLifetimeDays, addresses } = request;
    const set = {
      name,
      isActive,
      callbackHosts: callbackHosts && normalHosts(callbackHosts),
      keyLifetimeDays,
      addresses: addresses && [...new Set(addresses)],
    };
    const agent = await lockWorkspaceAgent(tx, author.actor.workspaceId, id);
    const hasNewLimits = keyLifetimeDays !== undefined || addresses !== undefined;
    // It may have been revoked because its key leaked.
    const isReinstated = isActive === true && !agent.isActive;
    if (hasNewLimits || isReinstated) await this.confirmations.assertMayWeaken(tx, author.actor);
    await tx.update(AgentEntity, { id }, { ...set, updatedAt: this.clock.now() });
    // The person who saves the list has seen the host that the agent requested.
    if (callbackHosts) await tx.delete(CallbackRequestEntity, { agentId: id });
    await this.audit.recordChange(tx, {
      ...author,
      reason: 'agent.updated',
      agent: { id, name: name ?? agent.name },
      details: {
        from: {
          name: agent.name,
          isActive: agent.isActive,
          ...(callbackHosts && { callbackHosts: agent.callbackHosts }),
          ...(keyLifetimeDays !== undefined && { keyLifetimeDays: agent.keyLifetimeDays }),
          ...(addresses && { addresses: agent.addresses }),
        },
        to: set,
      },
    });
    return findAgent(tx, author.actor.workspaceId, id);
  }

  /**
   * Deletes the agent and its key. Its open actions expire, so that no one decides about them in vain. Records stay
   * (docs/reference/dashboard-api.md#deleting-agents).
   */
  async delete(author: ChangeAuthor, id: number): Promise<void> {
    const { isActive } = await findAgent(this.source.manager, author.actor.workspaceId, id);
    if (await hasLongHistory(this.source, id)) {
      // Revokes the agent first. Otherwise it could repeat a request whose idempotency key is already deleted, and the
      // gateway would send the request again.
      if (isActive) await this.update(author, id, { isActive: false });
      await leaveHistory(this.source, id);
    }
    return inTransaction(this.source, (tx) => this.deleteIn(tx, author, id));
  }

  /** Does the same in the caller's transaction. */
  async deleteIn(tx: EntityManager, author: ChangeAuthor, id: number): Promise<void> {
    await findAgent(tx, author.actor.workspaceId, id);
    await lockOwnServices(tx, author.actor.workspaceId, [], id);
    const agent = await lockWorkspaceAgent(tx, author.actor.workspaceId, id, 'pessimistic_write');
    const open = [
      { agentId: id, status: 'PENDING' as const },
      { agentId: id, status: 'APPROVED' as const, claimId: IsNull() },
    ];
    const { affected } = await tx.update(ActionEntity, open, { status: 'EXPIRED' });
    this.metrics.actionsCameTo('expired', affected ?? 0);
    await leaveHistoryIn(tx, id);
    await tx.delete(AgentEntity, { id });
    await this.audit.recordChange(tx, { ...author, reason: 'agent.deleted', agent: { id, name: agent.name } });
  }

  /** Replaces the whole scope. */
  replaceScope(author: ChangeAuthor, id: number, serviceIds: number[]): Promise<NamedRef[]> {
    return inTransaction(this.source, (tx) => this.replaceScopeIn(tx, author, id, serviceIds));
  }

  /** Does the same in the caller's transaction. */
  async replaceScopeIn(tx: EntityManager, author: ChangeAuthor, id: number, serviceIds: number[]): Promise<NamedRef[]> {
    // Locks services before agents, in the same order as the triggers that increment the versions.
    await findAgent(tx, author.actor.workspaceId, id);
    const services = await lockOwnServices(tx, author.actor.workspaceId, serviceIds, id);
    const agent = await lockWorkspaceAgent(tx, author.actor.workspaceId, id);
    // With another scope, the agent could send its requests to a service that has other rules.
    const scope = await tx.findBy(AgentServiceEntity, { agentId: id });
    const hasChanged = !isDeepStrictEqual(new Set(scope.map(({ serviceId }) => serviceId)), new Set(serviceIds));
    if (hasChanged) await this.confirmations.assertMayWeaken(tx, author.actor);
    await tx.delete(AgentServiceEntity, { agentId: id });
    await insertScope(tx, id, services);
    await tx.update(AgentEntity, { id }, { updatedAt: this.clock.now() });
    await this.audit.recordChange(tx, {
      ...author,
      reason: 'agent.scope_replaced',
      agent: { id, name: agent.name },
      details: { services },
    });
    return services;
  }

  /**
   * Replaces the key. With a grace time, the old key works until this time ends, and each key before it works until its
   * own grace time ends. Without a grace time, all of them end when the transaction commits. Only this response
   * contains the new key.
   */
  rotateKey(author: ChangeAuthor, id: number, graceMinutes: number): Promise<RotateKeyResponse> {
    const { key, hash, prefix } = newAgentKey();
    return inTransaction(this.source, async (tx) => {
      const agent = await lockWorkspaceAgent(tx, author.actor.workspaceId, id);
      await this.confirmations.assertMayWeaken(tx, author.actor);
      if (graceMinutes === 0) await tx.delete(PreviousAgentKeyEntity, { agentId: id });
      else await tx.query(KEEP_KEY, [id, graceMinutes, PREVIOUS_KEYS_MAX - 1]);
      await tx.update(
        AgentEntity,
        { id },
        {
          keyHash: hash,
          keyPrefix: prefix,
          keyCreatedAt: () => 'now()',
          keyRotatedBy: author.actor.id,
          updatedAt: this.clock.now(),
        },
      );
      await this.audit.recordChange(tx, {
        ...author,
        reason: 'agent.key_rotated',
        agent: { id, name: agent.name },
        details: { from: { keyPrefix: agent.keyPrefix }, to: { keyPrefix: prefix }, graceMinutes },
      });
      return { agent: await findAgent(tx, author.actor.workspaceId, id), apiKey: key };
    });
  }

  /** Ends the rotated keys with the commit. The present key stays. */
  endPreviousKeys(author: ChangeAuthor, id: number): Promise<Agent> {
    return inTransaction(this.source, async (tx) => {
      const agent = await lockWorkspaceAgent(tx, author.actor.workspaceId, id);
      const [ended]: [{ keyPrefix: string }[], number] = await tx.query(
        'DELETE FROM previous_agent_keys WHERE agent_id = $1 RETURNING key_prefix AS "keyPrefix"',
        [id],
      );
      if (ended.length > 0) {
        await this.audit.recordChange(tx, {
          ...author,
          reason: 'agent.previous_keys_ended',
          agent: { id, name: agent.name },
          details: { keyPrefixes: ended.map(({ keyPrefix }) => keyPrefix) },
        });
      }
      return findAgent(tx, author.actor.workspaceId, id);
    });
  }
}

/** Returns the workspace's agent and locks it until the transaction ends. @throws ApiError 404 */
async function lockWorkspaceAgent(
  tx: EntityManager,
  workspaceId: number,
  id: number,
  mode: 'for_no_key_update' | 'pessimistic_write' = 'for_no_key_update',
): Promise<AgentEntity> {
  const agent = await tx.findOne(AgentEntity, { where: { id, workspaceId }, lock: { mode } });
  if (!agent) throw errors.resourceNotFound();
  return agent;
}

/**
 * Returns the workspace's services and locks them against changes until the transaction ends. Also locks the services
 * that are now in the agent's scope: deleting one of them deletes its row in the scope and then waits for the agent's
 * lock.
 * @throws ApiError 404 unless all services belong to the workspace
 */
async function lockOwnServices(
  tx: EntityManager,
  workspaceId: number,
  ids: number[],
  agentId: number | null,
): Promise<NamedRef[]> {
  const wanted = new Set(ids);
  const scope = agentId === null ? [] : await tx.findBy(AgentServiceEntity, { agentId });
  const services = await tx.find(ServiceEntity, {
    select: { id: true, name: true },
    where: { id: In([...wanted, ...scope.map(({ serviceId }) => serviceId)]), workspaceId },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_read' },
  });
  const found = services.filter(({ id }) => wanted.has(id));
  if (found.length < wanted.size) throw errors.serviceNotFound();
  return found.map(({ id, name }) => ({ id, name }));
}

async function insertScope(tx: EntityManager, agentId: number, services: NamedRef[]): Promise<void> {
  if (services.length === 0) return;
  await tx.insert(
    AgentServiceEntity,
    services.map(({ id }) => ({ agentId, serviceId: id })),
  );
}

/**
 * Normalises the entries for comparison with URLs and removes duplicates. `agent-rules.ts` has already refused invalid
 * entries.
 */
function normalHosts(entries: string[]): string[] {
  const hosts = entries.map(normalCallbackHost);
  return [...new Set(hosts.filter((host) => host !== null))];
}
