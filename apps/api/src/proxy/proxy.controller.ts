import { Controller, Post, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ProxyRequestBody } from '#contracts';
import { EgressClient, requestHeadersToForward } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import { AgentKeyGuard, CurrentAgent } from '../agents/agent-key.guard.js';
import { ApprovalQueue } from '../approvals/approval-queue.js';
import { AuditLog } from '../audit/audit-log.js';
import { EgressConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import { injectedHeaderNames } from '../services/credential-rules.js';
import { guardAddress, guardTarget } from '../services/egress-errors.js';
import { OperationIndex } from '../services/documentation/operation-index.js';
import { describeRequest } from '../services/request-summary.js';
import type { ServiceView } from '../services/service-view.js';
import { ApiProxy } from './api-proxy.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { Forwarder } from './forwarder.js';
import { HeldActions } from './held-actions.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { IdempotencyStore } from './idempotency-store.js';
import type { ProxyOutcome } from './outcome.js';
import { CurrentCall, dedupeHash, type ProxyCall } from './proxy-call.js';
import { ProxyRequestGuard } from './proxy-request.guard.js';
import { resolveService } from './service-resolution.js';
import { UpstreamResponseInterceptor } from './upstream-response.interceptor.js';

@ApiTags('Agents: requests')
@Controller('proxy')
export class ProxyController {
  constructor(
    private readonly risk: RiskAssessor,
    private readonly egress: EgressClient,
    private readonly forwarder: Forwarder,
    private readonly queue: ApprovalQueue,
    private readonly heldActions: HeldActions,
    private readonly keys: IdempotencyStore,
    private readonly operations: OperationIndex,
    private readonly audit: AuditLog,
    private readonly config: EgressConfig,
  ) {}

  @Post()
  @UseGuards(AgentKeyGuard, ProxyRequestGuard) // who asks; is it well formed
  @UseInterceptors(
    UpstreamResponseInterceptor, // outcome -> status, headers, bytes
    AuditInterceptor, // every refusal is recorded; a changed configuration is a new look
    IdempotencyInterceptor, // one key, one upstream call
  )
  @ApiProxy()
  @ApiBody({ type: ProxyRequestBody })
  async proxy(
    @CurrentAgent() agent: AgentView,
    @CurrentCall() call: ProxyCall,
    @Res() _response: Response,
  ): Promise<ProxyOutcome> {
    const service = (call.service = resolveService(agent, call.targetUrl));
    const url = guardTarget(call.targetUrl, service.baseUrl, this.config);
    const headers = requestHeadersToForward(call.headers, injectedHeaderNames(service));
    const verdict = (call.verdict = await this.risk.assess(agent.id, service, { ...call, headers }));
    switch (verdict.decision) {
      case 'deny':
        throw errors.deniedByRule(verdict.rule?.name ?? '');
      case 'hold':
        return this.hold(agent, service, call, url, headers, verdict);
      case 'forward':
        return this.forward(agent, service, call, url, headers, verdict);
    }
  }

  private async forward(
    agent: AgentView,
    service: ServiceView,
    call: ProxyCall,
    url: URL,
    headers: Record<string, string>,
    risk: RiskVerdict,
  ): Promise<ProxyOutcome> {
    const recordId = call.claimId ?? this.audit.newId();
    const answer = await this.forwarder.forward({
      ...call,
      kind: 'request',
      recordId,
      agent,
      service,
      url,
      headers,
      risk,
    });
    return { kind: 'answered', answer, via: 'forwarded', replayed: false, keyed: call.idempotencyKey !== null };
  }

  private async hold(
    agent: AgentView,
    service: ServiceView,
    call: ProxyCall,
    url: URL,
    headers: Record<string, string>,
    verdict: RiskVerdict,
  ): Promise<ProxyOutcome> {
    // No human is asked about a request that could never be sent.
    await guardAddress(url, this.egress);
    const operation = await this.operations.match(service, call.method, url.href);
    const { idempotencyKey: key, claimId } = call;
    const action = await this.queue.hold(
      {
        ...call,
        agent,
        service,
        headers,
        verdict,
        summary: describeRequest(call.method, url, service, operation),
        dedupeHash: key === null ? dedupeHash(call, headers) : null,
      },
      key === null || claimId === null
        ? undefined
        : (tx, actionId) => this.keys.bind(tx, agent.id, key, claimId, actionId),
    );
    return this.heldActions.answer(agent, call, action);
  }
}
