import { Injectable } from '@nestjs/common';
import type { AgentView } from '../agents/agent-directory.js';
import { Metrics } from '../observability/metrics.js';
import { Clock } from '../platform/clock.js';
import { EgressConfig } from '../platform/config.js';
import { ApiError } from '../platform/errors.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import type { ProxyCall } from './proxy-call.js';
import { readCall } from './read-call.js';
import { Refusal } from './refusal.js';
import { ReviewedCall } from './reviewed-call.js';

/** Reviews a call under the configuration of its agent, without the database and without the model. */
@Injectable()
export class RequestReviewer {
  constructor(
    private readonly risk: RiskAssessor,
    private readonly config: EgressConfig,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {}

  /** @returns a refusal instead of throwing it, because a stored answer for the call's key takes precedence, except over a pause */
  review(agent: AgentView, given: ProxyCall): ReviewedCall | Refusal {
    const startMs = this.clock.monotonicMs();
    const reviewed = this.read(agent, given);
    this.metrics.stepTook('review', this.clock.monotonicMs() - startMs);
    return reviewed;
  }

  private read(agent: AgentView, given: ProxyCall): ReviewedCall | Refusal {
    const read = readCall(agent, given, this.config);
    if (read instanceof Refusal) return read;
    const { call, service, url, headers, riskRequest } = read;
    try {
      const verdict = this.risk.known(agent.id, service, riskRequest);
      return new ReviewedCall(agent, call, service, url, headers, riskRequest, verdict);
    } catch (error) {
      if (error instanceof ApiError) return new Refusal(error, agent, call, service);
      throw error;
    }
  }
}
