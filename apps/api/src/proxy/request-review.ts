import { Injectable } from '@nestjs/common';
import { requestHeadersToForward } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import { EgressConfig } from '../platform/config.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import { injectedHeaderNames } from '../services/credential-rules.js';
import { guardTarget } from '../services/egress-errors.js';
import type { ServiceView } from '../services/service-view.js';
import type { ProxyCall } from './proxy-call.js';
import { resolveService } from './service-resolution.js';

/** What a call comes to under the configuration of its agent. */
export interface Review {
  service: ServiceView;
  /** As the egress guard read it. */
  url: URL;
  /** Those that may be forwarded. */
  headers: Record<string, string>;
  /** null until it is judged. */
  verdict: RiskVerdict | null;
}

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
      const service = (call.service = resolveService(agent, call.targetUrl));
      const url = guardTarget(call.targetUrl, service.baseUrl, this.config);
      const headers = requestHeadersToForward(call.headers, injectedHeaderNames(service));
      const verdict = this.risk.known(agent.id, service, { ...call, headers });
      call.review = { service, url, headers, verdict };
    }
    return call.review;
  }
}
