/**
 * The gateway for agents that speak the Model Context Protocol. The tools do only what `proxy` and the parts below it
 * do.
 */
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { DocumentationModule } from '../documentation/documentation.module.js';
import { CallsInFlight } from './calls-in-flight.js';
import { McpController } from './mcp.controller.js';
import { McpServer } from './mcp-server.js';
import { ExecuteAction } from './tools/execute-action.js';
import { GetAction } from './tools/get-action.js';
import { GetOperation } from './tools/get-operation.js';
import { ListServices } from './tools/list-services.js';
import { RequestTool } from './tools/request.js';
import { SearchDocs } from './tools/search-docs.js';

@Module({
  imports: [AgentsModule, ApprovalsModule, DocumentationModule, ProxyModule],
  controllers: [McpController],
  providers: [CallsInFlight, McpServer, ListServices, SearchDocs, GetOperation, RequestTool, GetAction, ExecuteAction],
})
export class McpModule {}
