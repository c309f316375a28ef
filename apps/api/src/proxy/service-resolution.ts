import { matchesBaseUrl } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import { errors } from '../platform/errors.js';
import type { ServiceView } from '../services/service-view.js';

/**
 * Of the agent's services, the one whose base URL the target starts with, as text or after normalisation; the longest
 * wins (contract 5). Look-alikes get this far, and a clear refusal from the egress guard.
 * @param namedId decides between services with the same base URL, and no more: the rules of the longest one can't be evaded.
 * Null: the caller named one that there is not
 * @throws 404
 */
export function resolveService(agent: AgentView, targetUrl: string, namedId?: number | null): ServiceView {
  if (namedId === null) throw errors.noServiceForTarget();
  let found: ServiceView | null = null;
  for (const service of agent.services) {
    const longer = service.baseUrl.length - (found?.baseUrl.length ?? 0);
    const better = longer > 0 || (longer === 0 && service.id === namedId);
    if (better && matchesBaseUrl(targetUrl, service.baseUrl)) found = service;
  }
  if (found === null) throw errors.noServiceForTarget();
  return found;
}
