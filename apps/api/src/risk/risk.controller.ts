import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { AssessRiskRequest, RiskAssessment } from '#contracts';
import { AgentEntity } from '#database';
import { requestHeadersToForward } from '#egress';
import { Clock } from '../platform/clock.js';
import { EgressConfig, RiskConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { injectedParameters, shownTarget } from '../credentials/kinds/query.js';
import { injectedHeaderNames } from '../credentials/credential-rules.js';
import { guardTarget } from '../egress/egress-errors.js';
import { ServiceRegistry } from '../services/service-registry.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { LimitReader } from './limits/limit-reader.js';
import { RequestFactsReader } from './request-facts-reader.js';
import { RiskAssessor } from './risk-assessor.js';
import type { RiskRequest } from './risk-verdict.js';

/** No agent has this id, so rules for specific agents don't match it. */
const NO_AGENT = 0;

@ApiTags('Risk')
@ApiBearerAuth()
@UseGuards(MemberGuard)
@Controller('risk')
export class RiskController {
  constructor(
    private readonly services: ServiceRegistry,
    private readonly assessor: RiskAssessor,
    private readonly facts: RequestFactsReader,
    private readonly limits: LimitReader,
    private readonly config: RiskConfig,
    private readonly egress: EgressConfig,
    private readonly clock: Clock,
    private readonly source: DataSource,
  ) {}

  @Post('assess')
  @Requires('approver')
  @HttpCode(200)
  @ApiOperation({ summary: 'Check the risk of a request. Forwards nothing, and counts no use of a rule or a limit' })
  @ApiOkResponse({ type: RiskAssessment })
  @ApiErrors(400, 401, 403, 404, 413, 415, 500, 503)
  async assess(@CurrentMember() member: ActingMember, @Body() request: AssessRiskRequest): Promise<RiskAssessment> {
    const { serviceId, agentId = NO_AGENT, method, targetUrl, headers, body, intent } = request;
    if (body && (method === 'GET' || method === 'HEAD')) throw errors.bodyNotAllowed(method);
    const service = await this.services.view(member.workspaceId, serviceId);
    guardTarget(targetUrl, service, this.egress);
    const assessed: RiskRequest = {
      method,
      targetUrl: shownTarget(targetUrl, injectedParameters(service.auth)),
      headers: requestHeadersToForward(headers ?? {}, injectedHeaderNames(service)),
      body: body ?? null,
      intent,
      agentName: await this.agentName(member.workspaceId, agentId),
    };
    const startedMs = this.clock.monotonicMs();
    const {
      rule: _,
      approvals: __,
      reached: ___,
      limits,
      observed = [],
      ...verdict
    } = await this.assessor.preview(agentId, service, assessed);
    const durationMs = Math.round(this.clock.monotonicMs() - startedMs);
    const { effects } = await this.facts.of(agentId, service, assessed);
    return {
      ...verdict,
      effects: [...effects],
      limits: await this.limits.use(agentId, limits),
      observed,
      threshold: this.config.threshold,
      durationMs,
    };
  }

  /** Undefined: the workspace has no such agent. */
  private async agentName(workspaceId: number, agentId: number): Promise<string | undefined> {
    if (agentId === NO_AGENT) return undefined;
    const agent = await this.source.manager.findOne(AgentEntity, {
      where: { id: agentId, workspaceId },
      select: { id: true, name: true },
    });
    return agent?.name;
  }
}
