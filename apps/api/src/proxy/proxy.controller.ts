import { Controller, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AgentKeyGuard } from '../agents/agent-key.guard.js';
import { ApiProxy } from './api-proxy.js';
import { InOrder } from './around.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import type { ProxyOutcome } from './outcome.js';
import type { ProxyHttpRequest } from './proxy-call.js';
import { ProxyRequestGuard } from './proxy-request.guard.js';
import { RequestDecision } from './request-decision.js';
import { UpstreamResponseInterceptor } from './upstream-response.interceptor.js';

@ApiTags('Agents: requests')
@Controller('proxy')
export class ProxyController {
  constructor(private readonly decision: RequestDecision) {}

  @Post()
  @UseGuards(AgentKeyGuard, ProxyRequestGuard) // who asks; is it well formed
  @UseInterceptors(
    InOrder(
      UpstreamResponseInterceptor, // outcome -> status, headers, bytes
      AuditInterceptor, // every refusal is recorded; a changed configuration is a new look
      IdempotencyInterceptor, // one key, one upstream call
    ),
  )
  @ApiProxy()
  proxy(@Req() { agent, proxyCall }: ProxyHttpRequest, @Res() _response: Response): Promise<ProxyOutcome> {
    return this.decision.decide(agent, proxyCall);
  }
}
