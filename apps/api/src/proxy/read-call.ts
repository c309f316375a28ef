import { requestHeadersToForward, writtenPath } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import { injectedHeaderNames } from '../credentials/credential-rules.js';
import { injectedParameters, shownTarget } from '../credentials/kinds/query.js';
import { guardTarget } from '../egress/egress-errors.js';
import type { EgressConfig } from '../platform/config.js';
import { ApiError, errors } from '../platform/errors.js';
import type { RiskRequest } from '../risk/risk-verdict.js';
import type { ServiceView } from '../service-view/service-view.js';
import { refuseAgentKeysInHeaders } from './agent-key-exposure.js';
import { withOutgoingBody } from './outgoing-body.js';
import type { ProxyCall } from './proxy-call.js';
import { Refusal } from './refusal.js';
import { toRiskRequest } from './reviewed-call.js';
import { resolveService } from './service-resolution.js';

/** A call as the configuration of its agent reads it. */
export interface ReadCall {
  call: ProxyCall;
  service: ServiceView;
  /** The URL as the egress guard read it. */
  url: URL;
  /** The headers that may be forwarded. */
  headers: Record<string, string>;
  riskRequest: RiskRequest;
}

/** Needs no database and no network: tests of a policy read their requests with it too. */
export function readCall(agent: AgentView, given: ProxyCall, config: EgressConfig): ReadCall | Refusal {
  let call = given;
  let service: ServiceView | null = null;
  try {
    if (agent.paused !== null) throw errors.paused(agent.paused);
    service = resolveService(agent, call.targetUrl, call.serviceId);
    call = withOutgoingBody(withShownTarget(call, service), service);
    if (service.paused !== null) throw errors.paused(service.paused);
    const url = guardTarget(call.targetUrl, service, config);
    call = withSentTarget(call, url);
    const headers = requestHeadersToForward(call.headers, injectedHeaderNames(service));
    refuseAgentKeysInHeaders(headers);
    const riskRequest = toRiskRequest(call, headers);
    riskRequest.agentName = agent.name;
    return { call, service, url, headers, riskRequest };
  } catch (error) {
    if (error instanceof ApiError) return new Refusal(error, agent, call, service);
    throw error;
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
