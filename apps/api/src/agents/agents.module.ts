/**
 * Agents: their keys and scopes, and the guards that authenticate them. Depends on services and below.
 */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { AgentDirectory } from './agent-directory.js';
import { AgentLoads } from './agent-load.js';
import { AgentRegistry } from './agent-registry.js';
import { AgentsController } from './agents.controller.js';
import { AgentsHousekeeping } from './agents.schedule.js';

@Module({
  imports: [MembershipModule, AuditModule],
  controllers: [AgentsController],
  providers: [AgentRegistry, AgentDirectory, AgentLoads, AgentsHousekeeping],
  // Nest creates the guards in the modules that use them, so those modules need the guards' dependencies.
  exports: [AgentDirectory, AgentLoads, AgentRegistry, AuditModule],
})
export class AgentsModule {}
