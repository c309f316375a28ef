import type { Agent } from '#contracts';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { updateAgent } from './api.js';
import { messages } from './messages.js';

/** Revokes or restores an agent. A revocation can be undone for some seconds. */
export function useSetActive({ id, name }: Agent) {
  const queryClient = useQueryClient();
  const setActive = useMutation({
    mutationFn: (isActive: boolean) => updateAgent(id, { isActive }),
    onSuccess: (_, isActive) =>
      isActive
        ? showDone(messages.isActive(name))
        : // On a phone, the switch of the list is easily touched while scrolling.
          showDone(
            messages.isRevoked(name),
            <Button size="xs" variant="default" mt={6} onClick={() => setActive.mutate(true)}>
              {messages.undoRevoke}
            </Button>,
          ),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.agents.all }),
  });
  return setActive;
}
