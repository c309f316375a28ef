import type { Agent } from '#contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { updateAgent } from './api.js';
import { messages } from './messages.js';

/** Revokes or restores an agent. */
export function useSetActive({ id, name }: Agent) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (isActive: boolean) => updateAgent(id, { isActive }),
    onSuccess: (_, isActive) => showDone(isActive ? messages.isActive(name) : messages.isRevoked(name)),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.agents.all }),
  });
}
