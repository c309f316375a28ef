import type { Action, CreateRiskRuleRequest, RiskRule } from '#contracts';
import type { QueryClient } from '@tanstack/react-query';
import { RULE_NAME_MAX } from '#contracts/limits';
import { now } from '../../lib/clock.js';
import { untilTime } from '../../lib/format.js';
import { failure, post } from '../../lib/http.js';
import { showFailure } from '../../lib/toasts.js';
import { allowMessages } from './allow-messages.js';
import type { AllowScope } from './allow-scope.js';
import { madeRuleQuery } from './made-rule.js';

/** @returns the rule, or null if it could not be created. The approval stays valid, and a toast reports the failure. */
export async function allowSimilar(
  queryClient: QueryClient,
  action: Action,
  scope: AllowScope,
  minutes: number,
): Promise<RiskRule | null> {
  const name = allowMessages.ruleName(
    scope.methods?.join(', ') ?? '',
    scope.pathPattern ?? '',
    action.agent.name,
    untilTime(now() + minutes * 60_000, now()),
  );
  try {
    const rule = await post<RiskRule>(`/services/${action.service.id!}/risk-rules`, {
      name: [...name].slice(0, RULE_NAME_MAX).join(''),
      effect: 'allow',
      ...scope,
      expiresInMinutes: minutes,
    } satisfies CreateRiskRuleRequest);
    // Whoever takes the approval back removes it, too.
    queryClient.setQueryData(madeRuleQuery(action).queryKey, rule);
    return rule;
  } catch (error) {
    showFailure(new Error(allowMessages.ruleFailed(failure(error).message)));
    return null;
  }
}
