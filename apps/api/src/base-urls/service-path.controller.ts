import { All, Controller, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { BaseUrlAgentKeyGuard } from '../agents/base-url-agent-key.js';
import { ApiServicePath } from './api-service-path.js';
import { inside, type Around } from '../proxy/around.js';
import { AuditInterceptor } from '../proxy/audit.interceptor.js';
import { BaseUrlInterceptor } from './base-url.interceptor.js';
import { BaseUrlTerms } from './base-url-terms.js';
import { IdempotencyInterceptor } from '../proxy/idempotency.interceptor.js';
import type { ProxyOutcome } from '../proxy/outcome.js';
import type { ProxyHttpRequest } from '../proxy/proxy-call.js';
import { RequestDecision } from '../proxy/request-decision.js';
import { ServicePathGuard } from './service-path.guard.js';
import { UpstreamResponseInterceptor } from '../proxy/upstream-response.interceptor.js';

/** The base URLs of services, for programs that can change nothing else. The same way through as `POST /proxy`. */
@ApiTags('Agents: requests')
@Controller('s')
export class ServicePathController {
  private readonly interceptors: readonly Around[];

  constructor(
    private readonly decision: RequestDecision,
    response: UpstreamResponseInterceptor,
    baseUrl: BaseUrlInterceptor,
    audit: AuditInterceptor,
    terms: BaseUrlTerms,
    idempotency: IdempotencyInterceptor,
  ) {
    this.interceptors = [
      response,
      baseUrl, // links lead back here; a denial is 403
      audit,
      terms,
      idempotency,
    ];
  }

  @All(':service{/*path}')
  @UseGuards(BaseUrlAgentKeyGuard, ServicePathGuard) // who asks; which request that is
  @ApiServicePath()
  send(@Req() request: ProxyHttpRequest, @Res() _response: Response): Promise<ProxyOutcome> {
    return inside(this.interceptors, request, () => this.decision.decide(request.agent, request.proxyCall));
  }
}
