import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  listsCallbackHost,
  type CallbackDelivery,
  type CallbackDeliveryPage,
  type ListDeliveriesQuery,
} from '#contracts';
import { AgentEntity, CallbackDeliveryEntity, inTransaction } from '#database';
import { pageOfDeliveries } from '../outbox/delivery-page.js';
import { errors } from '../platform/errors.js';
import { lockAgent, type CallbackAuthor } from './callback-author.js';
import { CallbackChanges } from './callback-changes.js';
import { toDelivery } from './callback-mapper.js';
import { lockCallback } from './callback-registry.js';
import { CallbackSender } from './callback-sender.js';
import { DeliveryQueue } from './delivery-queue.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Lists the deliveries of a callback, tests it, and redelivers. */
@Injectable()
export class CallbackDeliveries {
  constructor(
    private readonly source: DataSource,
    private readonly queue: DeliveryQueue,
    private readonly sender: CallbackSender,
    private readonly changes: CallbackChanges,
  ) {}

  /** @throws ApiError 404 if the agent belongs to another user */
  async page(workspaceId: number, agentId: number, query: ListDeliveriesQuery): Promise<CallbackDeliveryPage> {
    if (!(await this.source.manager.existsBy(AgentEntity, { id: agentId, workspaceId })))
      throw errors.resourceNotFound();
    const rows = this.source
      .getRepository(CallbackDeliveryEntity)
      .createQueryBuilder('d')
      .where('d.agent_id = :agentId', { agentId });
    return pageOfDeliveries(rows, query, toDelivery);
  }

  /** Sends a test event. @throws ApiError 404; 409 if the callback can't be sent or a test is still pending */
  async test(author: CallbackAuthor): Promise<CallbackDelivery> {
    const delivery = await inTransaction(this.source, async (tx) => {
      const agent = await this.lockSendable(tx, author);
      const id = await this.queue.addTest(tx, agent.id);
      if (id === null) throw errors.callbackTestRunning();
      await this.changes.record(tx, author, agent, 'callback.tested', { delivery: id });
      return tx.findOneByOrFail(CallbackDeliveryEntity, { id });
    });
    this.sender.wake();
    return toDelivery(delivery);
  }

  /** Sends a delivery again now, with the same id. @throws ApiError 404; 409 if the callback can't be sent */
  async redeliver(author: CallbackAuthor, id: string): Promise<CallbackDelivery> {
    const delivery = await inTransaction(this.source, async (tx) => {
      const agent = await this.lockSendable(tx, author);
      const agentId = agent.id;
      if (!UUID.test(id) || !(await tx.existsBy(CallbackDeliveryEntity, { id, agentId }))) {
        throw errors.deliveryNotFound();
      }
      await this.queue.redeliver(tx, agentId, id);
      await this.changes.record(tx, author, agent, 'callback.redelivered', { delivery: id });
      return tx.findOneByOrFail(CallbackDeliveryEntity, { id });
    });
    this.sender.wake();
    return toDelivery(delivery);
  }

  private async lockSendable(tx: EntityManager, author: CallbackAuthor): Promise<AgentEntity> {
    const agent = await lockAgent(tx, author);
    const callback = await lockCallback(tx, agent.id);
    if (!callback.enabled) throw errors.callbackDisabled();
    if (!agent.isActive) throw errors.agentRevoked();
    const { host } = new URL(callback.url);
    if (!listsCallbackHost(agent.callbackHosts, new URL(callback.url))) throw errors.callbackHostNotAllowed(host);
    return agent;
  }
}
