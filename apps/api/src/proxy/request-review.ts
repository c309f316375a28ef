import { Injectable } from '@nestjs/common';
import { requestHeadersToForward } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import { EgressConfig } from '../platform/config.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import type { RiskRequest } from '../risk/risk-verdict.js';
import { injectedHeaderNames } from '../services/credential-rules.js';
import { guardTarget } from '../egress/egress-errors.js';
import { refuseAgentKeysInHeaders } from './agent-key-exposure.js';
import type { ProxyCall, Review } from './proxy-call.js';
import { resolveService } from './service-resolution.js';

/** The part of judging a call that asks nobody: the service, the egress guard's text half, a verdict that is known already. */
@Injectable()
export class RequestReviewer {
  constructor(
    private readonly risk: RiskAssessor,
    private readonly config: EgressConfig,
  ) {}

  /** Kept on the call: its first reader pays. @throws ApiError 400, 403, 404 */
  review(agent: AgentView, call: ProxyCall): Review {
    if (call.review === null) {
      const service = (call.service = resolveService(agent, call.targetUrl, call.serviceId));
      const url = guardTarget(call.targetUrl, service, this.config);
      const headers = requestHeadersToForward(call.headers, injectedHeaderNames(service));
      refuseAgentKeysInHeaders(headers);
      const verdict = this.risk.known(agent.id, service, riskRequest(call, headers));
      call.review = { service, url, headers, verdict, hash: null };
    }
    return call.review;
  }
}

/** What the assessor is shown of a call. */
export function riskRequest(
  { method, targetUrl, body, intent, unstatedIntent }: ProxyCall,
  headers: Record<string, string>,
): RiskRequest {
  return { method, targetUrl, headers, body, intent, unstatedIntent };
}
