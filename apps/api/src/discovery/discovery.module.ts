/**
 * Tells an agent what it needs to know before its first request: who it is, what it may reach, and how. The texts are
 * written for language models. Depends on `agents` and below; nothing depends on it.
 */
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { AgentDescriber } from './agent-description.js';
import { CallingAgentGuard } from './calling-agent.guard.js';
import { DiscoveryController } from './discovery.controller.js';

@Module({
  imports: [AgentsModule],
  controllers: [DiscoveryController],
  providers: [AgentDescriber, CallingAgentGuard],
})
export class DiscoveryModule {}
