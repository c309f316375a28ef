import type { ServiceRule } from '../service-view/service-view.js';

/** How many people must approve a held request, and who may. */
export interface ApprovalsNeeded {
  needed: number;
  /** null: everyone whose role allows it. Empty: nobody, because several rules name different people. */
  approverIds: number[] | null;
}

const ONE_APPROVAL: ApprovalsNeeded = { needed: 1, approverIds: null };

/** The higher number, and only the people whom both name. */
export function stricter(one: ApprovalsNeeded, other: ApprovalsNeeded): ApprovalsNeeded {
  const needed = Math.max(one.needed, other.needed);
  if (one.approverIds === null || other.approverIds === null) {
    return { needed, approverIds: one.approverIds ?? other.approverIds };
  }
  const named = new Set(other.approverIds);
  return { needed, approverIds: one.approverIds.filter((id) => named.has(id)) };
}

/** Whether the same people may approve. */
export const isSamePeople = (
  { approverIds: one }: ApprovalsNeeded,
  { approverIds: other }: ApprovalsNeeded,
): boolean =>
  one === null || other === null ? one === other : one.length === other.length && one.every((id) => other.includes(id));

/** The rule that asks for most people, if one is not enough. @param rules those that match the request */
export const mostDemanding = (rules: readonly ServiceRule[], { needed }: ApprovalsNeeded): ServiceRule | null =>
  rules.find(({ effect, approvals }) => effect === 'require_approval' && needed > 1 && approvals === needed) ?? null;

/** @param rules those that match the request */
export function approvalsNeeded(rules: readonly ServiceRule[]): ApprovalsNeeded {
  return rules
    .filter(({ effect }) => effect === 'require_approval')
    .map(({ approvals, approverIds }) => ({
      needed: approvals,
      approverIds: approverIds.length === 0 ? null : approverIds,
    }))
    .reduce(stricter, ONE_APPROVAL);
}
