import type { ActionSummary } from '#contracts';
import { Stack } from '@mantine/core';
import { useMay } from '../../lib/workspace.js';
import { CountsIn } from './counts-in.js';
import { TakeBackButtons, waysBack } from './take-back-buttons.js';
import { useTakeBack } from './use-take-back.js';

/** Takes an approval back on the page of the action, after the toast has disappeared. */
export function TakeBack({ action }: { action: ActionSummary }) {
  const { mutate, isPending, variables } = useTakeBack(action);
  const decides = useMay('approver');
  return (
    <Stack gap={6} align="flex-start" mt={6}>
      <CountsIn from={action.countsFrom} />
      {decides && <TakeBackButtons busy={isPending ? variables : null} ways={waysBack(action)} press={mutate} />}
    </Stack>
  );
}
