import type { RuleLimit } from '#contracts';
import type { ConditionSubject } from '../../rules/rule-conditions.js';
import { amountOf } from '../../rules/rule-sums.js';
import type { ServiceRule } from '../../service-view/service-view.js';

/** A limit that matches a request, and what the request adds to it. */
export interface LimitToCount {
  rule: { id: number; name: string };
  limit: RuleLimit;
  /** A decimal. Null: it is not known, so the request does not fit. */
  amount: string | null;
}

/** A limit in its current window, as one request found it. */
export interface LimitState extends LimitToCount {
  /** With the request, if it was counted. */
  used: number;
  /** Whether the request fits. */
  fits: boolean;
  /** Seconds until the window ends, by the database's clock; at least 1. */
  resetsInSeconds: number;
}

/** @param rules those that match the request */
export function limitsToCount(rules: readonly ServiceRule[], request: ConditionSubject): LimitToCount[] {
  return rules.flatMap((rule) => {
    const { id, name, limit } = rule;
    return limit === null ? [] : [{ rule: { id, name }, limit, amount: amountOf(rule, request) }];
  });
}

/**
 * The limit that decides about a request that does not fit: one that refuses it before one that holds it, then the one
 * whose window ends last. Null: the request fits into all of them.
 */
export function reachedLimit(states: readonly LimitState[]): LimitState | null {
  const reached = states.filter(({ fits }) => !fits);
  const force = ({ limit }: LimitState): number => (limit.then === 'deny' ? 0 : 1);
  reached.sort(
    (one, other) =>
      force(one) - force(other) || other.resetsInSeconds - one.resetsInSeconds || one.rule.id - other.rule.id,
  );
  return reached.at(0) ?? null;
}

/**
 * The limit that decides about a request which does not fit even where nothing is used: it adds more than fits, or nobody
 * knows how much. Null: there is none.
 */
export function exceededLimit(limits: readonly LimitToCount[]): LimitToCount | null {
  const exceeded = limits.filter(exceeds);
  return exceeded.find(({ limit }) => limit.then === 'deny') ?? exceeded.at(0) ?? null;
}

/** Whether a request fits into no window of the limit. */
export const exceeds = ({ limit, amount }: LimitToCount): boolean => amount === null || Number(amount) > limit.count;

/**
 * The tightest limit: the one into which the fewest requests like this one still fit. Of equal ones, the one whose window
 * ends last. Null: there is none.
 */
export function tightestLimit(states: readonly LimitState[]): LimitState | null {
  const sorted = [...states].sort(
    (one, other) =>
      requestsLeft(one) - requestsLeft(other) ||
      other.resetsInSeconds - one.resetsInSeconds ||
      one.rule.id - other.rule.id,
  );
  return sorted.at(0) ?? null;
}

/** What is left of a limit. An execution may have used more than there was. */
export const amountLeft = ({ limit, used }: LimitState): number => Math.max(0, limit.count - used);

/** A request that adds nothing fits as often as one that adds 1. */
function requestsLeft(state: LimitState): number {
  if (state.amount === null) return 0;
  return Math.floor(amountLeft(state) / (Number(state.amount) || 1));
}
