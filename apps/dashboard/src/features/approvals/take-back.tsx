import type { ActionSummary } from '#contracts';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../lib/workspace.js';
import { madeRuleQuery } from './made-rule.js';
import { CountsIn } from './counts-in.js';
import { RuleMade } from './rule-made.js';
import { TakeBackButtons, waysBack } from './take-back-buttons.js';
import { useTakeBack } from './use-take-back.js';

/** Takes an approval back on the page of the action, after the toast has disappeared. */
export function TakeBack({ action }: { action: ActionSummary }) {
  const { data: rule = null } = useQuery(madeRuleQuery(action));
  const { mutate, isPending, variables } = useTakeBack(action, rule);
  const decides = useMay('approver');
  return (
    <Stack gap={6} align="flex-start" mt={6}>
      {rule && <RuleMade rule={rule} serviceId={action.service.id} />}
      <CountsIn from={action.countsFrom} />
      {decides && <TakeBackButtons busy={isPending ? variables : null} ways={waysBack(action)} press={mutate} />}
    </Stack>
  );
}
