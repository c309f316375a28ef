import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  listsCallbackHost,
  PutCallbackRequest,
  type CallbackResponse,
  type RotatedCallbackSecret,
  type SavedCallback,
} from '#contracts';
import { CALLBACK_HOSTS_MAX } from '#contracts/limits';
import { AgentEntity, CallbackEntity, CallbackRequestEntity, inTransaction } from '#database';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { rotated } from '../outbox/signing-secrets.js';
import { newSigningSecret } from '../outbox/webhook-signature.js';
import { Clock } from '../platform/clock.js';
import { ApiError, errors } from '../platform/errors.js';
import { validate } from '../platform/http/validation.js';
import { lockAgent, type CallbackAuthor } from './callback-author.js';
import { CallbackChanges, withoutQuery } from './callback-changes.js';
import { rememberRequestedHost } from './callback-hosts.js';
import { toCallback } from './callback-mapper.js';
import { CallbackReceiver } from './callback-receiver.js';
import { DeliveryQueue } from './delivery-queue.js';
import { secretBinding } from './encrypted-secrets.js';

/** Manages the callbacks of agents. An agent has at most one; the agent itself or its owner changes it. */
@Injectable()
export class CallbackRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly queue: DeliveryQueue,
    private readonly receiver: CallbackReceiver,
    private readonly cipher: CredentialCipher,
    private readonly changes: CallbackChanges,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 404 if the agent belongs to another user */
  async get(workspaceId: number, agentId: number): Promise<CallbackResponse> {
    const agent = await this.source.manager.findOneBy(AgentEntity, { id: agentId, workspaceId });
    if (!agent) throw errors.resourceNotFound();
    const callback = await this.source.manager.findOneBy(CallbackEntity, { agentId });
    return { callback: callback && toCallback(callback, agent, this.clock.nowMs()) };
  }

  /**
   * Registers or changes the callback. Only this response contains the secret of a new one. An agent can only use a
   * host that its owner has listed; this is checked before any DNS lookup. If the owner registers the callback, its
   * host is added to the list.
   * @param request an unvalidated `PutCallbackRequest`
   * @throws ApiError 400, 403
   */
  async put(author: CallbackAuthor, request: object): Promise<SavedCallback> {
    const { url, enabled = true } = this.checked(request);
    const target = this.receiver.target(url);
    if (author.key !== null) await this.assertListed(author, target);
    await this.receiver.assertReachable(target);
    return inTransaction(this.source, async (tx) => {
      const agent = await lockAgent(tx, author);
      if (!listsCallbackHost(agent.callbackHosts, target)) {
        // The list may have changed since the check.
        if (author.key !== null) throw errors.callbackHostNotAllowed(target.host);
        await this.listHost(tx, author, agent, target.host);
      }
      const before = await tx.findOneBy(CallbackEntity, { agentId: agent.id });
      const now = this.clock.now();
      const set = { url, enabled, disabledReason: null, updatedAt: now };
      let secret: string | null = null;
      if (before) {
        await tx.update(CallbackEntity, { agentId: agent.id }, set);
        if (!enabled) await this.queue.giveUp(tx, agent.id, 'The callback was disabled');
      } else {
        secret = newSigningSecret();
        await tx.insert(CallbackEntity, {
          ...set,
          agentId: agent.id,
          encryptedSecret: this.cipher.encrypt(secret, secretBinding(agent.id)),
          encryptedPreviousSecret: null,
          previousSecretExpiresAt: null,
          createdAt: now,
        });
      }
      await this.changes.record(tx, author, agent, before ? 'callback.updated' : 'callback.created', {
        ...(before && { from: { url: withoutQuery(before.url), enabled: before.enabled } }),
        to: { url: withoutQuery(url), enabled },
      });
      return { callback: await this.read(tx, agent), secret };
    });
  }

  /**
   * Validates the request. The DTO can't find every error, because the operator's settings decide whether http is
   * allowed.
   * @throws ApiError 400
   */
  private checked(request: object): PutCallbackRequest {
    try {
      return validate(PutCallbackRequest, request);
    } catch (error) {
      const { url } = request as { url?: unknown };
      const fault = typeof url === 'string' && url !== '' ? this.receiver.urlFault(url) : null;
      throw error instanceof ApiError && fault !== null ? errors.invalid(`${error.message}; ${fault}`) : error;
    }
  }

  /** @throws ApiError 403 if the owner has not listed the host. The requested host is stored for the owner. */
  private async assertListed({ agentId, actor }: CallbackAuthor, target: URL): Promise<void> {
    const { manager } = this.source;
    const agent = await manager.findOneBy(AgentEntity, { id: agentId, workspaceId: actor.workspaceId });
    if (!agent) throw errors.resourceNotFound();
    if (listsCallbackHost(agent.callbackHosts, target)) return;
    await rememberRequestedHost(manager, agentId, target.host, this.clock.now());
    throw errors.callbackHostNotAllowed(target.host);
  }

  private async listHost(tx: EntityManager, author: CallbackAuthor, agent: AgentEntity, host: string): Promise<void> {
    const callbackHosts = [...agent.callbackHosts, host];
    if (callbackHosts.length > CALLBACK_HOSTS_MAX) {
      throw errors.invalid(`url: ${CALLBACK_HOSTS_MAX} hosts are already listed`);
    }
    await tx.update(AgentEntity, { id: agent.id }, { callbackHosts, updatedAt: this.clock.now() });
    await tx.delete(CallbackRequestEntity, { agentId: agent.id, host });
    await this.changes.record(tx, author, agent, 'agent.updated', {
      from: { callbackHosts: agent.callbackHosts },
      to: { callbackHosts },
    });
    agent.callbackHosts = callbackHosts;
  }

  /** Removes the callback and its deliveries. Pending deliveries are never sent. @throws ApiError 404 */
  async remove(author: CallbackAuthor): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      const agent = await lockAgent(tx, author);
      const callback = await lockCallback(tx, agent.id);
      await tx.delete(CallbackEntity, { agentId: agent.id });
      await this.changes.record(tx, author, agent, 'callback.removed', { url: withoutQuery(callback.url) });
    });
  }

  /**
   * Replaces the secret. Only this response contains the new one. For a day, callbacks are signed with both.
   * @throws ApiError 404
   */
  rotateSecret(author: CallbackAuthor): Promise<RotatedCallbackSecret> {
    const secret = newSigningSecret();
    return inTransaction(this.source, async (tx) => {
      const agent = await lockAgent(tx, author);
      const before = await lockCallback(tx, agent.id);
      const encryptedSecret = this.cipher.encrypt(secret, secretBinding(agent.id));
      const change = rotated(encryptedSecret, before.encryptedSecret, this.clock.now());
      await tx.update(CallbackEntity, { agentId: agent.id }, change);
      const { previousSecretExpiresAt } = change;
      await this.changes.record(tx, author, agent, 'callback.secret_rotated', { previousSecretExpiresAt });
      return { callback: await this.read(tx, agent), secret };
    });
  }

  private async read(tx: EntityManager, agent: AgentEntity) {
    return toCallback(await tx.findOneByOrFail(CallbackEntity, { agentId: agent.id }), agent, this.clock.nowMs());
  }
}

/** @throws ApiError 404 */
export async function lockCallback(tx: EntityManager, agentId: number): Promise<CallbackEntity> {
  const callback = await tx.findOne(CallbackEntity, { where: { agentId }, lock: { mode: 'for_no_key_update' } });
  if (!callback) throw errors.callbackNotFound();
  return callback;
}
