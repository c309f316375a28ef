import type { Action } from '#contracts';
import { Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { failure } from '../../lib/http.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { actionQuery, withdraw } from './api.js';
import { forEachAction } from './batch.js';
import { batchMessages } from './batch-messages.js';
import { messages } from './messages.js';
import { withdrawMessages } from './withdraw-messages.js';

/**
 * Undo in the toast of a batch approval. It withdraws each approval that the agent has not used, and counts the others.
 */
export function UndoBatch({ approved }: { approved: readonly Action[] }) {
  const queryClient = useQueryClient();
  // The next press retries the withdrawals that did not reach the gateway.
  const [left, setLeft] = useState(approved);
  const undo = useMutation({
    mutationFn: () => forEachAction(left, withdraw),
    onSuccess: ({ done, lost, failed, problem }) => {
      for (const action of done) queryClient.setQueryData(actionQuery(action.action_id).queryKey, action);
      setLeft(failed);
      if (done.length > 0) {
        showDone(batchMessages.withdrawn(done.length), failed.length > 0 ? <UndoBatch approved={failed} /> : undefined);
      }
      if (lost > 0) showFailure(new Error(batchMessages.tooLate(lost)));
      if (failed.length > 0) {
        showFailure(new Error(batchMessages.stillInForce(failed.length, failure(problem).message)));
      }
    },
  });
  const open = left.length > 0 && !undo.isPending;
  useShortcuts(messages.keys.scope, [{ keys: 'u', label: messages.keys.undo, run: () => undo.mutate() }], open);
  return (
    <Stack gap={6} align="flex-start" mt={6}>
      {left.length > 0 ? (
        <Button size="xs" variant="default" loading={undo.isPending} onClick={() => undo.mutate()}>
          {withdrawMessages.undo}
        </Button>
      ) : (
        <div>{batchMessages.noneLeft}</div>
      )}
    </Stack>
  );
}
