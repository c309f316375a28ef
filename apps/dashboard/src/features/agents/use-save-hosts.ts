import type { Agent } from '#contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { updateAgent } from './api.js';
import { messages } from './messages.js';

/** Saves the allowed callback hosts. This also answers the host that the agent requests. */
export function useSaveHosts({ id }: Agent) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (callbackHosts: string[]) => updateAgent(id, { callbackHosts }),
    onSuccess: () => showDone(messages.hosts.saved),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: queryKeys.agents.all }),
        queryClient.invalidateQueries({ queryKey: queryKeys.callbacks.of(id) }),
      ]),
  });
}
