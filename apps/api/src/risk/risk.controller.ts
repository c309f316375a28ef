import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { AssessRiskRequest, RiskAssessment, type NeededApprovals } from '#contracts';
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
import { detectedType } from '../request-reading/detected-type.js';
import { mostDemanding, type ApprovalsNeeded } from '../rules/approvals-needed.js';
import { byForce } from '../rules/rule-matching.js';
import type { ServiceView } from '../service-view/service-view.js';
import { alternatives } from './alternatives.js';
import { checkedRules } from './checked-rules.js';
import { askedEffects } from './decide.js';
import { asHeld } from './held-score.js';
import { LimitReader, toUses } from './limits/limit-reader.js';
import { RequestFactsReader } from './request-facts-reader.js';
import { RiskAssessor } from './risk-assessor.js';
import type { RiskRequest, RiskVerdict } from './risk-verdict.js';
import { shown } from './rule-verdict.js';
import { serviceNeeds } from './service-needs.js';

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
      headers: requestHeadersToForward(typed(headers ?? {}, body), injectedHeaderNames(service)),
      body: body ?? null,
      intent,
      agentName: await this.agentName(member.workspaceId, agentId),
    };
    const startedMs = this.clock.monotonicMs();
    const verdict = await this.assessor.preview(agentId, service, assessed);
    const durationMs = Math.round(this.clock.monotonicMs() - startedMs);
    const { approvals, reached: _, limits: __, observed = [], ...rest } = verdict;
    const isHeld = verdict.decision === 'hold';
    const reasons = await this.reasons(agentId, service, assessed, verdict);
    const isScored = verdict.source !== 'rule' && verdict.source !== 'effect';
    return {
      ...(isHeld ? asHeld(rest, reasons.effects) : rest),
      ...reasons,
      decidingScore: isScored ? verdict.score : null,
      observed,
      approvals: isHeld ? toNeeded(approvals, service, verdict) : null,
      threshold: this.config.threshold,
      durationMs,
    };
  }

  /** What the decision came from, and what would change it. */
  private async reasons(
    agentId: number,
    service: ServiceView,
    request: RiskRequest,
    verdict: RiskVerdict,
  ): Promise<Pick<RiskAssessment, 'rules' | 'otherwise' | 'effects' | 'limits'>> {
    const facts = await this.facts.of(agentId, service, request, serviceNeeds(service));
    const limits = await this.limits.read(agentId, verdict.limits);
    const rules = checkedRules({ agentId, service, request, facts, nowMs: this.clock.nowMs() }, verdict);
    const matching = new Set(verdict.matchedRules.map(({ id }) => id));
    // Without a rule, a denial is about the path: rules can't be compared with it.
    const isCompared = verdict.source !== 'rule' || verdict.rule !== null;
    const deciding = {
      rules: service.rules.filter(({ id }) => matching.has(id)).sort(byForce),
      asked: askedEffects(service.askFor, facts),
      limits,
    };
    return {
      effects: [...facts.effects],
      limits: toUses(limits),
      rules,
      otherwise: isCompared ? alternatives(deciding) : [],
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

/** The headers with the content type that the gateway would send, if the body has none. */
function typed(headers: Record<string, string>, body: string | null = null): Record<string, string> {
  const isStated = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return body === null || body === '' || isStated ? headers : { ...headers, 'Content-Type': detectedType(body) };
}

function toNeeded(
  approvals: ApprovalsNeeded,
  { rules }: ServiceView,
  { matchedRules }: Pick<RiskVerdict, 'matchedRules'>,
): NeededApprovals {
  const matching = rules.filter(({ id }) => matchedRules.some((rule) => rule.id === id));
  const rule = mostDemanding(matching, approvals);
  return { needed: approvals.needed, rule: rule && shown(rule), approverIds: approvals.approverIds };
}
