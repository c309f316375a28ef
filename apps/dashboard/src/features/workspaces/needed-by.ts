import type { Action, ActionPage, Member, RiskRule, Service } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { get } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';

/** What waits for a member: rules that name them, and held requests that too few people could approve without them. */
interface NeededBy {
  rules: { service: Service; rule: RiskRule }[];
  requests: Action[];
}

export const neededByQuery = (memberId: number) =>
  queryOptions({
    queryKey: queryKeys.members.needed(memberId),
    queryFn: async ({ signal }): Promise<NeededBy> => {
      const [rules, requests] = await Promise.all([rulesNaming(memberId, signal), waitingFor(memberId, signal)]);
      return { rules, requests };
    },
    gcTime: 0,
  });

async function rulesNaming(memberId: number, signal: AbortSignal): Promise<NeededBy['rules']> {
  const services = await get<Service[]>('/services', undefined, signal);
  const found = await Promise.all(
    services.map(async (service) => {
      const rules = await get<RiskRule[]>(`/services/${service.id}/risk-rules`, undefined, signal);
      return rules.filter((rule) => rule.isActive && names(rule, memberId)).map((rule) => ({ service, rule }));
    }),
  );
  return found.flat();
}

const names = ({ approverIds }: RiskRule, memberId: Member['id']): boolean => approverIds.includes(memberId);

async function waitingFor(memberId: number, signal: AbortSignal): Promise<Action[]> {
  const found: Action[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: ActionPage = await get<ActionPage>('/approvals', { status: 'PENDING', cursor }, signal);
    found.push(...page.items.filter(({ approvals }) => isNeeded(approvals, memberId)));
    cursor = page.nextCursor;
  }
  return found;
}

/** The list of who may approve has ten people at most. With more, nobody is missed. */
export const isNeeded = (
  { needed, given, mayApprove, mayApproveCount }: Action['approvals'],
  memberId: Member['id'],
): boolean => mayApprove.some(({ id }) => id === memberId) && mayApproveCount - 1 < needed - given.length;
