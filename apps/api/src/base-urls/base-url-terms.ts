import type { AgentView } from '../agents/agent-directory.js';
import { errors } from '../platform/errors.js';
import type { ProxyCall } from '../proxy/proxy-call.js';
import { Refusal } from '../proxy/refusal.js';
import type { ServiceView } from '../services/service-view.js';
import type { ServicePathRequest } from './service-path.guard.js';

/**
 * Completes the call: the service's `baseUrlDefaults` decide what its base URL leaves open.
 * @param agent the current view, whose defaults apply
 * @throws Refusal 400 when the idempotency key is missing and the service requires one
 */
export function underDefaults(
  agent: AgentView,
  service: ServiceView | undefined,
  { proxyCall: call, servicePath: path, keyMissing, preferredWait }: ServicePathRequest,
): ProxyCall {
  const defaults = service?.baseUrlDefaults;
  if (keyMissing && (path.idempotency ?? defaults?.idempotency) !== 'none') {
    throw new Refusal(errors.baseUrlKeyRequired(call.method), agent, call, service ?? null);
  }
  const waitSeconds = call.dryRun ? 0 : preferredWait || (path.waitSeconds ?? defaults?.wait ?? 0);
  return { ...call, waitSeconds };
}
