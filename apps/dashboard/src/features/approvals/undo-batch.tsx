import type { ActionSummary } from '#contracts';
import { Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { failure } from '../../lib/http.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { noteState, undo, withdraw } from './api.js';
import { forEachAction } from './batch.js';
import { batchMessages } from './batch-messages.js';
import { CountsIn } from './counts-in.js';
import { messages } from './messages.js';
import { TakeBackButtons } from './take-back-buttons.js';

/** The moment when the last of these approvals counts. */
export const lastCountsFrom = (approved: readonly ActionSummary[]): string | null =>
  approved.reduce<string | null>(
    (last, { countsFrom }) => ((countsFrom ?? '') > (last ?? '') ? countsFrom : last),
    null,
  );

/**
 * The ways back in the toast of a batch approval. They take back each approval that the agent has not used, and count the
 * others.
 */
export function UndoBatch({ approved }: { approved: readonly ActionSummary[] }) {
  const queryClient = useQueryClient();
  // The next press retries those that did not reach the gateway.
  const [left, setLeft] = useState(approved);
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (how: 'undo' | 'deny') => forEachAction(left, how === 'undo' ? undo : withdraw),
    onSuccess: ({ done, lost, failed, problem }, how) => {
      for (const action of done) noteState(queryClient, action);
      setLeft(failed);
      if (done.length > 0) {
        const words = how === 'undo' ? batchMessages.undone : batchMessages.withdrawn;
        showDone(words(done.length), failed.length > 0 ? <UndoBatch approved={failed} /> : undefined);
      }
      if (lost > 0) showFailure(new Error(batchMessages.tooLate(lost)));
      if (failed.length > 0) {
        showFailure(new Error(batchMessages.stillInForce(failed.length, failure(problem).message)));
      }
    },
  });
  const open = left.length > 0 && !isPending;
  useShortcuts(messages.keys.scope, [{ keys: 'u', label: messages.keys.undo, run: () => mutate('undo') }], open);
  return (
    <Stack gap={6} align="flex-start" mt={6}>
      {left.length > 0 ? (
        <>
          <CountsIn from={lastCountsFrom(left)} />
          <TakeBackButtons busy={isPending ? variables : null} ways={['undo', 'deny']} press={mutate} />
        </>
      ) : (
        <div>{batchMessages.noneLeft}</div>
      )}
    </Stack>
  );
}
