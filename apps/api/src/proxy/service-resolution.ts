import { matchesBaseUrl } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import { errors } from '../platform/errors.js';
import type { ServiceView } from '../services/service-view.js';

/**
 * Of the agent's services, the one whose base URL the target starts with, as text or after normalisation; the longest
 * wins (contract 5). Look-alikes get this far, and a clear refusal from the egress guard. @throws 404
 */
export function resolveService(agent: AgentView, targetUrl: string): ServiceView {
  let found: ServiceView | null = null;
  for (const service of agent.services) {
    if (service.baseUrl.length > (found?.baseUrl.length ?? 0) && matchesBaseUrl(targetUrl, service.baseUrl)) {
      found = service;
    }
  }
  if (found === null) throw errors.noServiceForTarget();
  return found;
}
