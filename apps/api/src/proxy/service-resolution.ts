import { mayMeanAnother, ServiceBase, WrittenTarget } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import { errors } from '../platform/errors.js';
import type { ServiceView } from '../service-view/service-view.js';

/**
 * Finds the service of a target. Candidates are the agent's services whose base URL the target starts with, as text or
 * after normalisation. If the target is below some of these base URLs on a segment boundary, the longest of them wins.
 * Otherwise the longest candidate wins (docs/reference/egress.md#service). So a look-alike gets a clear refusal from
 * the egress guard.
 * @param namedId decides only between services with the same base URL. So nobody can evade the rules of the service
 * with the longest base URL. Null: the agent has no service of the name that the caller gave
 * @throws ApiError 404; 403 if a server may read the target as a URL of another service
 */
export function resolveService(agent: AgentView, targetUrl: string, namedId?: number | null): ServiceView {
  if (namedId === null) throw errors.noServiceForTarget();
  const target = new WrittenTarget(targetUrl);
  let found: ServiceView | null = null;
  let foundCovers = false;
  for (const service of agent.services) {
    const base = cachedBase(service);
    if (!base.matches(target)) continue;
    const covers = base.covers(target);
    if (found !== null && foundCovers !== covers) {
      if (foundCovers) continue;
    } else if (found !== null) {
      const other = cachedBase(found);
      const longer = covers ? base.foldedPath.length - other.foldedPath.length : base.text.length - other.text.length;
      if (longer < 0 || (longer === 0 && service.id !== namedId)) continue;
    }
    found = service;
    foundCovers = covers;
  }
  if (found === null) throw errors.noServiceForTarget();
  if (foundCovers) assertUnambiguous(agent, target, found);
  return found;
}

/**
 * Checks that a stored target still belongs to its service alone, given the agent's current services. @throws ApiError
 * 403
 */
export function assertBelongsTo(agent: AgentView, targetUrl: string, service: ServiceView): void {
  assertUnambiguous(agent, new WrittenTarget(targetUrl), service);
}

function assertUnambiguous(agent: AgentView, target: WrittenTarget, service: ServiceView): void {
  if (mayMeanAnother(target, cachedBase(service), agent.services.map(cachedBase))) throw errors.ambiguousService();
}

/** One parsed base URL for each service view. */
const bases = new WeakMap<ServiceView, ServiceBase>();

function cachedBase(service: ServiceView): ServiceBase {
  let base = bases.get(service);
  if (base === undefined) bases.set(service, (base = new ServiceBase(service.baseUrl)));
  return base;
}
