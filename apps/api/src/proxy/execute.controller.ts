import { Controller, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { FreshAgentKeyGuard } from '../agents/agent-key.guard.js';
import { ActionExecutor } from './action-executor.js';
import { ApiExecute } from './api-proxy.js';
import { inside, type Around } from './around.js';
import { AuditInterceptor } from './audit.interceptor.js';
import type { ProxyOutcome } from './outcome.js';
import { UpstreamResponseInterceptor } from './upstream-response.interceptor.js';

@ApiTags('Agents: requests')
@Controller('proxy/execute')
export class ExecuteController {
  private readonly interceptors: readonly Around[];

  constructor(
    private readonly executor: ActionExecutor,
    response: UpstreamResponseInterceptor,
    audit: AuditInterceptor,
  ) {
    this.interceptors = [response, audit];
  }

  @Post(':actionId')
  @UseGuards(FreshAgentKeyGuard) // who asks, as it is in the database now
  @ApiExecute()
  execute(
    @Param('actionId') actionId: string,
    @Req() request: Request,
    @Res() _response: Response,
  ): Promise<ProxyOutcome> {
    return inside(this.interceptors, request, () => this.executor.execute(request.agent, actionId, request.requestId));
  }
}
