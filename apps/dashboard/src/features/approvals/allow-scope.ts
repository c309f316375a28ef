import type { Action, AllowSimilar, Backtest, BacktestRequest, CreateRiskRuleRequest } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { readValueLimits } from '../../lib/value-limits.js';

/** What the person chooses for "allow similar". */
export interface AllowChoice {
  /** Any owner, too. */
  wider: boolean;
  /** Any values. Only where no rule must be lifted. */
  anyValues: boolean;
  /** The conditions that are left out. */
  varied: readonly string[];
}

export const NARROWEST: AllowChoice = { wider: false, anyValues: false, varied: [] };

/** Which requests the new rule is about. */
export type AllowScope = Pick<
  CreateRiskRuleRequest,
  'methods' | 'pathPattern' | 'agentIds' | 'when' | 'exceptionTo' | 'fromAction'
>;

const AND = ' && ';

export function toScope(action: Action, offered: AllowSimilar, { wider, anyValues, varied }: AllowChoice): AllowScope {
  const { methods, pathPattern, widerPathPattern, agentIds, values, exception } = offered;
  const limits = exception?.conditions ?? (anyValues ? null : values);
  return {
    methods,
    pathPattern: (wider && widerPathPattern) || pathPattern,
    agentIds,
    when: (limits ?? [])
      .filter(({ text }) => !varied.includes(text))
      .map(({ text }) => text)
      .join(AND),
    ...(exception && { exceptionTo: exception.exceptionTo, fromAction: action.action_id }),
  };
}

/** The conditions that the person may leave out, and the field that each is about. */
export const variable = ({ exception, values }: AllowSimilar): { text: string; field: string }[] =>
  (exception?.conditions ?? values ?? [])
    .filter(({ mayVary }) => mayVary)
    .map(({ text }) => ({ text, field: readValueLimits(text)?.[0]?.field ?? text }));

/**
 * What the rule would have done to the latest requests. Bodies are kept of held requests only, so a condition is tested on
 * those.
 */
export const matchesQuery = (serviceId: number, scope: AllowScope) => {
  const body = { rule: { ...scope, name: 'allow similar', effect: 'allow' } } satisfies BacktestRequest;
  return queryOptions({
    queryKey: queryKeys.backtest(serviceId, body),
    queryFn: async ({ signal }) => {
      const path = `/services/${serviceId}/risk-rules/backtest`;
      return (await request<Backtest>({ method: 'POST', path, body, signal })).data;
    },
    retry: false,
  });
};
