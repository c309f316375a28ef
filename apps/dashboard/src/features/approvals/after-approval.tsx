import type { Action, RiskRule } from '#contracts';
import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ThingLink } from '../../components/thing-link.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { spelledOut } from '../../lib/text-safety.js';
import { actionQuery } from './api.js';
import { messages } from './messages.js';
import { withdrawMessages } from './withdraw-messages.js';
import { useWithdraw } from './use-withdraw.js';

interface Props {
  action: Action;
  /** The rule that "Approve and allow similar" created. */
  rule: RiskRule | null;
}

/** The content of an approval's toast: a link to the new rule, and Undo until the agent uses the approval. */
export default function AfterApproval({ action, rule }: Props) {
  // Live events refresh it.
  const { data } = useQuery({ ...actionQuery(action.action_id), initialData: action });
  const undo = useWithdraw(action, rule);
  const open = data.status === 'APPROVED' && !undo.isPending && !undo.isSuccess;
  useShortcuts(messages.keys.scope, [{ keys: 'u', label: messages.keys.undo, run: () => undo.mutate() }], open);
  return (
    <Stack gap={6} align="flex-start" mt={6}>
      {rule && (
        <div>
          {withdrawMessages.ruleMade}{' '}
          <ThingLink kind="services" id={action.service.id} tab="rules">
            {spelledOut(rule.name)}
          </ThingLink>
        </div>
      )}
      {data.status === 'EXECUTED' ? (
        <div>{withdrawMessages.alreadyRun}</div>
      ) : (
        <Button size="xs" variant="default" disabled={!open} loading={undo.isPending} onClick={() => undo.mutate()}>
          {withdrawMessages.undo}
        </Button>
      )}
    </Stack>
  );
}
