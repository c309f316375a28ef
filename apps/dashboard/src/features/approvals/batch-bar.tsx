import type { ActionSummary } from '#contracts';
import { Box, Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useFoot } from '../../lib/foot.js';
import { meQuery } from '../../lib/queries.js';
import { needsConfirmation } from '../../lib/risk.js';
import { spelledOut } from '../../lib/text-safety.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { approveAction, denyAction } from './api.js';
import classes from './action-bar.module.css';
import { forEachAction } from './batch.js';
import { areIdentical, groupIdentical } from './groups.js';
import { batchMessages } from './batch-messages.js';
import { messages } from './messages.js';
import { recovered } from './recovered.js';
import { useSteady } from './steady.js';
import { lastCountsFrom, UndoBatch } from './undo-batch.js';
import { useTwoStep } from './use-two-step.js';

interface Props {
  selected: readonly ActionSummary[];
  onDecided: (actionIds: string[]) => void;
  stop: () => void;
}

/** Decides the selected actions. Any set can be denied, but only identical requests can be approved together. */
export default function BatchBar({ selected, onDecided, stop }: Props) {
  const count = selected.length;
  const identical = count > 0 && areIdentical(selected);
  const first = selected[0];
  const blocked = selected.find((action) => action.blocked !== null)?.blocked ?? null;
  const why =
    count === 0
      ? batchMessages.nothing
      : !identical
        ? batchMessages.onlyIdentical
        : blocked !== null && batchMessages.blocked(blocked);
  const whyId = useId();
  const headline = first ? spelledOut(first.headline) : '';
  const foot = useFoot();
  const queryClient = useQueryClient();
  const [steady] = useSteady(selected.map(({ action_id }) => action_id).join());
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (decision: 'approve' | 'deny') => {
      const me = queryClient.getQueryData(meQuery.queryKey)?.id;
      const send = decision === 'approve' ? approveAction : denyAction;
      return forEachAction(selected, (action) =>
        send(action).catch((error: unknown) => recovered(error, action, decision, me)),
      );
    },
    onSuccess: ({ done, lost, problem }, decision) => {
      if (done.length > 0) {
        if (decision === 'deny') showDone(batchMessages.done(done.length, batchMessages.denied));
        else
          showDone(
            batchMessages.done(done.length, batchMessages.approved),
            <UndoBatch approved={done} />,
            lastCountsFrom(done),
          );
      }
      if (lost > 0) showFailure(new Error(batchMessages.lost(lost)));
      if (problem) showFailure(problem);
      onDecided(done.map(({ action_id }) => action_id));
    },
  });
  const approve = useTwoStep(selected.some(needsConfirmation), batchMessages.times(count, headline), () =>
    mutate('approve'),
  );
  return (
    <Box
      ref={foot}
      px="lg"
      pt={6}
      pb={10}
      role="region"
      aria-label={batchMessages.region}
      style={{ borderBlockStart: '1px solid var(--agw-line)' }}
    >
      <Group justify="space-between" gap="sm" mih={32} mb={4} wrap="nowrap" fz="sm" fw={600}>
        <span aria-live="polite">{batchMessages.count(count, groupIdentical(selected).length)}</span>
        {why && (
          <Text id={whyId} span size="sm" c="dimmed" flex={1} lh={1.3}>
            {why}
          </Text>
        )}
        <Button variant="subtle" size="xs" flex="none" onClick={stop}>
          {messages.select.stop}
        </Button>
      </Group>
      <Group align="stretch" wrap="nowrap">
        <Button
          variant="default"
          className={classes.tall}
          disabled={count === 0 || isPending}
          loading={isPending && variables === 'deny'}
          onClick={() => steady(() => mutate('deny'))}
        >
          {batchMessages.deny(count)}
        </Button>
        <Box flex={1} miw={0}>
          <Button
            fullWidth
            className={classes.tall}
            color={approve.armed ? 'danger' : undefined}
            disabled={why !== false || isPending}
            aria-describedby={why ? whyId : undefined}
            loading={isPending && variables === 'approve'}
            onClick={() => steady(approve.press)}
          >
            {approve.armed ? batchMessages.confirm(count, headline) : batchMessages.approve(count, identical)}
          </Button>
        </Box>
      </Group>
    </Box>
  );
}
