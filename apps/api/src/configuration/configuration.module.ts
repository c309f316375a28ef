/**
 * The configuration of a workspace as one file: its export and import. Depends on agents, services and workspaces,
 * whose registries make the changes.
 */
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { DocumentationModule } from '../documentation/documentation.module.js';
import { ServicesModule } from '../services/services.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AgentImport } from './agent-import.js';
import { ConfigurationController } from './configuration.controller.js';
import { ConfigurationExport } from './configuration-export.js';
import { ConfigurationImport } from './configuration-import.js';
import { DocumentImport } from './document-import.js';
import { ServiceImport } from './service-import.js';

@Module({
  imports: [AgentsModule, MembershipModule, ServicesModule, RulesModule, DocumentationModule, WorkspacesModule],
  controllers: [ConfigurationController],
  providers: [AgentImport, ConfigurationExport, ConfigurationImport, DocumentImport, ServiceImport],
})
export class ConfigurationModule {}
