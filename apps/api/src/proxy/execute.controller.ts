import { Controller, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { FreshAgentKeyGuard } from '../agents/agent-key.guard.js';
import { ApiExecute } from './api-proxy.js';
import { writeOutcome } from './outcome-response.js';
import { ProxyPipeline } from './proxy-pipeline.js';
import { RequestCounter } from './request-counter.js';

@ApiTags('Agents: requests')
@Controller('proxy/execute')
export class ExecuteController {
  constructor(
    private readonly pipeline: ProxyPipeline,
    private readonly counter: RequestCounter,
  ) {}

  @Post(':actionId')
  @UseGuards(FreshAgentKeyGuard) // The guard finds the agent in the database, not in the cache.
  @ApiExecute()
  async execute(
    @Param('actionId') actionId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { agent, answerRoom, requestId } = request;
    const outcome = await answerRoom.during(() =>
      this.counter.count('execute', agent, () => this.pipeline.execute(agent, actionId, requestId, answerRoom)),
    );
    writeOutcome(response, outcome);
  }
}
