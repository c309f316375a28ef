import type { ActionSummary, RiskRule } from '#contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { failure } from '../../lib/http.js';
import { meQuery } from '../../lib/queries.js';
import { spelledOut } from '../../lib/text-safety.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { deleteRule, noteState, readSummary, undo, withdraw } from './api.js';
import { madeRuleQuery } from './made-rule.js';
import { recovered } from './recovered.js';
import { takeBackMessages } from './take-back-messages.js';
import { tellDecided } from './tell-decided.js';

/**
 * Takes an approval back and deletes the rule that it created. `undo`: the request waits again. `deny`: it is denied.
 */
export function useTakeBack(action: ActionSummary, rule: RiskRule | null) {
  const queryClient = useQueryClient();
  return useMutation({
    // The page forgets the rule while this runs, and the functions below are those of its latest rendering.
    onMutate: () => ({ removed: rule !== null }),
    mutationFn: async (how: 'undo' | 'deny') => {
      // Delete the rule first. Even if the agent has already run this request, no other request may be allowed.
      if (rule) {
        await deleteRule(action.service.id!, rule.id).catch((error: unknown) => {
          if (failure(error).status !== 404) throw error;
        });
        queryClient.setQueryData(madeRuleQuery(action).queryKey, null);
      }
      const sent = how === 'undo' ? undo(action) : withdraw(action);
      const me = queryClient.getQueryData(meQuery.queryKey)?.id;
      return sent.catch((error: unknown) => recovered(error, action, how, me));
    },
    onSuccess: (changed, how, { removed }) => {
      noteState(queryClient, changed);
      const words = how === 'undo' ? takeBackMessages.undone : takeBackMessages.denied;
      const tell = removed ? showDone : tellDecided;
      tell(`${words(spelledOut(action.headline))}${removed ? takeBackMessages.ruleRemoved : ''}`);
    },
    onError: async (error, _how, context) => {
      if (failure(error).status !== 409) {
        showFailure(error);
        return;
      }
      const now = await readSummary(action.action_id).catch(() => null);
      if (now) noteState(queryClient, now);
      const tooLate = now === null || now.executing || now.status === 'EXECUTED';
      if (!tooLate) showFailure(error);
      else showFailure(new Error(context?.removed ? takeBackMessages.tooLateButRule : takeBackMessages.tooLate));
    },
  });
}
