import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AgentKeyGuard } from '../agents/agent-key.guard.js';
import { ApiProxy } from './api-proxy.js';
import { inside, type Around } from './around.js';
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
  private readonly interceptors: readonly Around[];

  constructor(
    private readonly decision: RequestDecision,
    response: UpstreamResponseInterceptor,
    audit: AuditInterceptor,
    idempotency: IdempotencyInterceptor,
  ) {
    this.interceptors = [
      response, // outcome -> status, headers, bytes
      audit, // every refusal is recorded; a changed configuration is a new look
      idempotency, // one key, one upstream call
    ];
  }

  @Post()
  @UseGuards(AgentKeyGuard, ProxyRequestGuard) // who asks; is it well formed
  @ApiProxy()
  proxy(@Req() request: ProxyHttpRequest, @Res() _response: Response): Promise<ProxyOutcome> {
    return inside(this.interceptors, request, () => this.decision.decide(request.agent, request.proxyCall));
  }
}
