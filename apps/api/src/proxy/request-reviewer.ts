import { Injectable } from '@nestjs/common';
import { requestHeadersToForward, writtenPath } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import { guardTarget } from '../egress/egress-errors.js';
import { EgressConfig } from '../platform/config.js';
import { ApiError, errors } from '../platform/errors.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import { injectedParameters, shownTarget } from '../credentials/kinds/query.js';
import { injectedHeaderNames } from '../credentials/credential-rules.js';
import type { ServiceView } from '../service-view/service-view.js';
import { refuseAgentKeysInHeaders } from './agent-key-exposure.js';
import { withOutgoingBody } from './outgoing-body.js';
import type { ProxyCall } from './proxy-call.js';
import { Refusal } from './refusal.js';
import { ReviewedCall, toRiskRequest } from './reviewed-call.js';
import { resolveService } from './service-resolution.js';

/** Reviews a call under the configuration of its agent, without the database and without the model. */
@Injectable()
export class RequestReviewer {
  constructor(
    private readonly risk: RiskAssessor,
    private readonly config: EgressConfig,
  ) {}

  /** @returns a refusal instead of throwing it, because a stored answer for the call's key takes precedence, except over a pause */
  review(agent: AgentView, given: ProxyCall): ReviewedCall | Refusal {
    let call = given;
    let service: ServiceView | null = null;
    try {
      if (agent.paused !== null) throw errors.paused(agent.paused);
      service = resolveService(agent, call.targetUrl, call.serviceId);
      call = withOutgoingBody(withShownTarget(call, service), service);
      if (service.paused !== null) throw errors.paused(service.paused);
      const url = guardTarget(call.targetUrl, service, this.config);
      call = withSentTarget(call, url);
      const headers = requestHeadersToForward(call.headers, injectedHeaderNames(service));
      refuseAgentKeysInHeaders(headers);
      const riskRequest = toRiskRequest(call, headers);
      riskRequest.agentName = agent.name;
      const verdict = this.risk.known(agent.id, service, riskRequest);
      return new ReviewedCall(agent, call, service, url, headers, riskRequest, verdict);
    } catch (error) {
      if (error instanceof ApiError) return new Refusal(error, agent, call, service);
      throw error;
    }
  }
}

/**
 * Query parameters that the gateway injects reach no record, approver or model
 * (docs/reference/egress.md#injected-query).
 */
function withShownTarget(call: ProxyCall, { auth }: ServiceView): ProxyCall {
  const names = injectedParameters(auth);
  if (names.length === 0) return call;
  return { ...call, targetUrl: shownTarget(call.targetUrl, names), writtenUrl: call.targetUrl };
}

/** A fragment, dot segments, and what a URL parser takes for a slash. */
const NOT_SENT = /[#\\]|\/(?:\.|%2e){1,2}(?=[/?#]|$)/i;

/**
 * Removes from the target what the API does not get, before the target is judged, shown and recorded. `/users#/42`
 * becomes `/users`.
 */
function withSentTarget(call: ProxyCall, url: URL): ProxyCall {
  const { targetUrl, writtenUrl = targetUrl } = call;
  if (!NOT_SENT.test(targetUrl)) return call;
  return { ...call, targetUrl: url.origin + writtenPath(targetUrl, url), writtenUrl };
}
