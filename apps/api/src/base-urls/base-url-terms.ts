import type { AgentView } from '../agents/agent-directory.js';
import { errors } from '../platform/errors.js';
import type { ProxyCall } from '../proxy/proxy-call.js';
import { Refusal } from '../proxy/refusal.js';
import type { ServiceView } from '../services/service-view.js';
import type { ServicePathRequest } from './service-path.guard.js';

/**
 * The call with what its base URL leaves open, which the service's `baseUrlDefaults` settle.
 * @param agent the configuration may change between two attempts, and the defaults of the newer one hold
 * @throws Refusal 400 when the service requires the idempotency key that is missing
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
