import { Controller, Param, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { AgentView } from '../agents/agent-directory.js';
import { CurrentAgent, FreshAgentKeyGuard } from '../agents/agent-key.guard.js';
import { ActionExecutor } from './action-executor.js';
import { ApiExecute } from './api-proxy.js';
import { InOrder } from './around.js';
import { AuditInterceptor } from './audit.interceptor.js';
import type { ProxyOutcome } from './outcome.js';
import { UpstreamResponseInterceptor } from './upstream-response.interceptor.js';

@ApiTags('Agents: requests')
@Controller('proxy/execute')
export class ExecuteController {
  constructor(private readonly executor: ActionExecutor) {}

  @Post(':actionId')
  @UseGuards(FreshAgentKeyGuard) // who asks, as it is in the database now
  @UseInterceptors(InOrder(UpstreamResponseInterceptor, AuditInterceptor))
  @ApiExecute()
  execute(
    @CurrentAgent() agent: AgentView,
    @Param('actionId') actionId: string,
    @Req() request: Request,
    @Res() _response: Response,
  ): Promise<ProxyOutcome> {
    return this.executor.execute(agent, actionId, request.requestId);
  }
}
