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
