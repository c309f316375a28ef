import type { Action, RiskRule } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '../../lib/query-keys.js';

/** The rule that this page created with the approval of an action. */
export const madeRuleQuery = ({ action_id }: Pick<Action, 'action_id'>) =>
  queryOptions({
    queryKey: queryKeys.approvals.rule(action_id),
    queryFn: (): RiskRule | null => null,
    staleTime: Infinity,
    gcTime: Infinity,
  });
