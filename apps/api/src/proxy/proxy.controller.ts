import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AgentKeyGuard } from '../agents/agent-key.guard.js';
import { ApiProxy } from './api-proxy.js';
import { writeOutcome } from './outcome-response.js';
import type { ProxyHttpRequest } from './proxy-call.js';
import { ProxyPipeline } from './proxy-pipeline.js';
import { RequestCounter } from './request-counter.js';
import { ProxyRequestGuard } from './proxy-request.guard.js';

@ApiTags('Agents: requests')
@Controller('proxy')
export class ProxyController {
  constructor(
    private readonly pipeline: ProxyPipeline,
    private readonly counter: RequestCounter,
  ) {}

  @Post()
  @UseGuards(AgentKeyGuard, ProxyRequestGuard) // The first guard finds the agent, the second checks whether the request is well formed.
  @ApiProxy()
  async proxy(@Req() request: ProxyHttpRequest, @Res() response: Response): Promise<void> {
    const { agent, answerRoom, proxyCall, requestId } = request;
    const outcome = await answerRoom.during(() =>
      this.counter.count('proxy', agent, () => this.pipeline.send(agent, () => proxyCall, requestId)),
    );
    writeOutcome(response, outcome);
  }
}
