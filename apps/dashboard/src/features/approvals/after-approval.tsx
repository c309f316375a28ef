import type { ActionSummary, RiskRule } from '#contracts';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useShortcuts } from '../../lib/keyboard.js';
import { summaryQuery } from './api.js';
import { CountsIn } from './counts-in.js';
import { messages } from './messages.js';
import { RuleMade } from './rule-made.js';
import { TakeBackButtons, waysBack } from './take-back-buttons.js';
import { takeBackMessages } from './take-back-messages.js';
import { useTakeBack } from './use-take-back.js';

interface Props {
  action: ActionSummary;
  /** The rule that "Approve and allow similar" created. */
  rule: RiskRule | null;
}

/** The content of an approval's toast: a link to the new rule, and the ways back until the agent uses the approval. */
export default function AfterApproval({ action, rule }: Props) {
  // Live events refresh it.
  const { data } = useQuery({ ...summaryQuery(action.action_id), initialData: action });
  const { mutate, isPending, variables } = useTakeBack(action, rule);
  const busy = isPending ? variables : null;
  const ways = waysBack(data);
  useShortcuts(
    messages.keys.scope,
    [{ keys: 'u', label: messages.keys.undo, run: () => mutate('undo') }],
    ways.includes('undo') && !isPending,
  );
  return (
    <Stack gap={6} align="flex-start" mt={6}>
      {rule && <RuleMade rule={rule} serviceId={action.service.id} />}
      {data.executing && <div>{takeBackMessages.running}</div>}
      {data.status === 'EXECUTED' && <div>{takeBackMessages.alreadyRun}</div>}
      {ways.length > 0 && (
        <>
          <CountsIn from={data.countsFrom} />
          <TakeBackButtons busy={busy} ways={ways} press={mutate} />
        </>
      )}
    </Stack>
  );
}
