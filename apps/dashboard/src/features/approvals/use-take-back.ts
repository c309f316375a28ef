import type { Action, RiskRule } from '#contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { failure } from '../../lib/http.js';
import { spelledOut } from '../../lib/text-safety.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { actionQuery, deleteRule, withdraw } from './api.js';
import { withdrawMessages } from './withdraw-messages.js';

/** Withdraws an approval and deletes the rule that it created. */
export function useWithdraw(action: Action, rule: RiskRule | null = null) {
  const queryClient = useQueryClient();
  const query = actionQuery(action.action_id);
  return useMutation({
    mutationFn: async () => {
      // Delete the rule first. Even if the agent has already run this request, no other request may be allowed.
      if (rule) {
        await deleteRule(action.service.id!, rule.id).catch((error: unknown) => {
          if (failure(error).status !== 404) throw error;
        });
      }
      return withdraw(action);
    },
    onSuccess: (withdrawn) => {
      queryClient.setQueryData(query.queryKey, withdrawn);
      showDone(withdrawMessages.withdrawn(spelledOut(action.headline)));
    },
    onError: (error) => {
      if (failure(error).status !== 409) {
        showFailure(error);
        return;
      }
      showFailure(new Error(rule ? withdrawMessages.tooLateButRule : withdrawMessages.tooLate));
      void queryClient.invalidateQueries({ queryKey: query.queryKey });
    },
  });
}
