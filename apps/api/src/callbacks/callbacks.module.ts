/**
 * Callbacks: their registration, and the delivery of events about actions. A database trigger queues these events; this
 * module reads nothing else about actions. Depends on agents, outbox, services (for the author of a change) and below.
 */
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { EventsModule } from '../events/events.module.js';
import { AgentCallbackController } from './agent-callback.controller.js';
import { CallbackChanges } from './callback-changes.js';
import { CallbackDeliveries } from './callback-deliveries.js';
import { CallbackReceiver } from './callback-receiver.js';
import { CallbackRegistry } from './callback-registry.js';
import { CallbackSender } from './callback-sender.js';
import { CallbacksController } from './callbacks.controller.js';
import { DeliveryQueue } from './delivery-queue.js';

@Module({
  imports: [MembershipModule, EventsModule, AuditModule, CryptoModule, AgentsModule],
  controllers: [AgentCallbackController, CallbacksController],
  providers: [CallbackRegistry, CallbackDeliveries, CallbackChanges, CallbackReceiver, CallbackSender, DeliveryQueue],
})
export class CallbacksModule {}
