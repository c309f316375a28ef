import type { Action, RiskRule } from '#contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { failure } from '../../lib/http.js';
import { spelledOut } from '../../lib/text-safety.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { actionQuery, deleteRule, withdraw } from './api.js';
import { messages } from './messages.js';

/** Takes back an approval, and the rule that came with it. */
export function useWithdraw(action: Action, rule: RiskRule | null = null) {
  const queryClient = useQueryClient();
  const query = actionQuery(action.action_id);
  return useMutation({
    mutationFn: async () => {
      // The rule first: whether or not the agent was faster with this one request, no other may pass.
      if (rule) {
        await deleteRule(action.service.id!, rule.id).catch((error: unknown) => {
          if (failure(error).status !== 404) throw error;
        });
      }
      return withdraw(action.action_id);
    },
    onSuccess: (withdrawn) => {
      queryClient.setQueryData(query.queryKey, withdrawn);
      showDone(messages.decide.withdrawn(spelledOut(action.summary)));
    },
    onError: (error) => {
      if (failure(error).status !== 409) {
        showFailure(error);
        return;
      }
      showFailure(new Error(rule ? messages.decide.tooLateButRule : messages.decide.tooLate));
      void queryClient.invalidateQueries({ queryKey: query.queryKey });
    },
  });
}
