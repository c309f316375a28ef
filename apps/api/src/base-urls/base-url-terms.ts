import { TARGET_URL_MAX } from '#contracts/limits';
import type { AgentView } from '../agents/agent-directory.js';
import { errors, type ApiError } from '../platform/errors.js';
import type { ProxyCall } from '../proxy/proxy-call.js';
import { Refusal } from '../proxy/refusal.js';
import type { ServiceView } from '../service-view/service-view.js';
import type { ServicePathRequest } from './service-path.guard.js';
import { targetBelow } from './service-path.js';

/** The service that a base URL names. Undefined: the agent has no service of this name. */
export const namedService = (agent: AgentView, { serviceId }: ProxyCall): ServiceView | undefined =>
  agent.services.find(({ id }) => id === serviceId);

/**
 * Completes the call with a configuration: which service has the name, where the service is, and what its
 * `baseUrlDefaults` say about the options that the base URL leaves open. If the configuration has changed, the call is
 * tried again and completed again, because the name may belong to another service now.
 * @throws Refusal 400
 */
export function callUnder(agent: AgentView, request: ServicePathRequest): ProxyCall {
  const { proxyCall: asked, servicePath: path, keyMissing, preferredWait } = request;
  const refuse = (error: ApiError, call: ProxyCall, service: ServiceView | null = null): never => {
    throw new Refusal(error, agent, call, service);
  };
  const named = agent.services.filter(({ name }) => name === path.name);
  const [service] = named;
  if (named.length > 1) refuse(errors.ambiguousServiceName(), asked);
  // A call to an unknown service keeps the requested URL, because the refusal is recorded with it.
  const targetUrl = service ? targetBelow(service.baseUrl, path.rest) : asked.targetUrl;
  if (targetUrl.length > TARGET_URL_MAX)
    refuse(errors.invalid(`URL: must lead to at most ${TARGET_URL_MAX} characters`), asked);
  const defaults = service?.baseUrlDefaults;
  const waitSeconds = asked.dryRun ? 0 : preferredWait || (path.waitSeconds ?? defaults?.wait ?? 0);
  const call = { ...asked, targetUrl, serviceId: service?.id ?? null, waitSeconds };
  if (keyMissing && (path.idempotency ?? defaults?.idempotency) !== 'none') {
    refuse(errors.baseUrlKeyRequired(call.method), call, service ?? null);
  }
  return call;
}
