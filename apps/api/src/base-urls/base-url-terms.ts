import type { AgentView } from '../agents/agent-directory.js';
import { errors } from '../platform/errors.js';
import type { ProxyCall } from '../proxy/proxy-call.js';
import { Refusal } from '../proxy/refusal.js';
import { namedService, type ServicePathRequest } from './service-path.guard.js';

/**
 * Completes the call: the `baseUrlDefaults` of the named service decide what the base URL leaves open.
 * @param agent the current view, whose defaults apply
 * @throws Refusal 400 when the idempotency key is missing and the service requires one
 */
export function underDefaults(
  agent: AgentView,
  { proxyCall: call, servicePath: path, keyMissing, preferredWait }: ServicePathRequest,
): ProxyCall {
  const service = namedService(agent, call);
  const defaults = service?.baseUrlDefaults;
  if (keyMissing && (path.idempotency ?? defaults?.idempotency) !== 'none') {
    throw new Refusal(errors.baseUrlKeyRequired(call.method), agent, call, service ?? null);
  }
  const waitSeconds = call.dryRun ? 0 : preferredWait || (path.waitSeconds ?? defaults?.wait ?? 0);
  return { ...call, waitSeconds };
}
