import type { RiskRule } from '#contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { deleteRule } from './api.js';
import { rulesMessages } from './rules-messages.js';

/** Saves and deletes a rule, and closes the editor after that. @param rule null for a new rule */
export function useSaveRule(serviceId: number, rule: RiskRule | null, send: () => Promise<unknown>, close: () => void) {
  const queryClient = useQueryClient();
  const settled = (done: string) => ({
    onSuccess: () => {
      showDone(done);
      close();
      void queryClient.invalidateQueries({ queryKey: queryKeys.audit.usage });
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.rules(serviceId) });
    },
  });
  const save = useMutation({ mutationFn: send, ...settled(rulesMessages.saved) });
  const remove = useMutation({ mutationFn: () => deleteRule(serviceId, rule!.id), ...settled(rulesMessages.removed) });
  return { save, remove };
}
