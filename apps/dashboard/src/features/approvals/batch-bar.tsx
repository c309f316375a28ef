import type { Action } from '#contracts';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { useFoot } from '../../lib/foot.js';
import { needsConfirmation } from '../../lib/risk.js';
import { spelledOut } from '../../lib/text-safety.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { approveAction, denyAction } from './api.js';
import classes from './batch-bar.module.css';
import { forEachAction } from './batch.js';
import { areIdentical } from './groups.js';
import { messages } from './messages.js';
import { useSteady } from './steady.js';
import { UndoBatch } from './undo-batch.js';
import { useTwoStep } from './use-two-step.js';

interface Props {
  selected: readonly Action[];
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
      ? messages.select.nothing
      : !identical
        ? messages.select.onlyIdentical
        : blocked !== null && messages.select.blocked(blocked);
  const whyId = useId();
  const summary = first ? spelledOut(first.summary) : '';
  const foot = useFoot();
  const [steady] = useSteady(selected.map(({ action_id }) => action_id).join());
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (decision: 'approve' | 'deny') =>
      forEachAction(selected, (action) => (decision === 'approve' ? approveAction(action) : denyAction(action))),
    onSuccess: ({ done, lost, problem }, decision) => {
      if (done.length > 0) {
        if (decision === 'deny') showDone(messages.select.done(done.length, messages.select.denied));
        else showDone(messages.select.done(done.length, messages.select.approved), <UndoBatch approved={done} />);
      }
      if (lost > 0) showFailure(new Error(messages.select.lost(lost)));
      if (problem) showFailure(problem);
      onDecided(done.map(({ action_id }) => action_id));
    },
  });
  const approve = useTwoStep(
    first !== undefined && needsConfirmation(first),
    messages.select.times(count, summary),
    () => mutate('approve'),
  );
  return (
    <div ref={foot} className={classes.bar} role="region" aria-label={messages.select.region}>
      <div className={classes.head}>
        <span aria-live="polite">{messages.select.count(count)}</span>
        {why && (
          <span id={whyId} className={classes.why}>
            {why}
          </span>
        )}
        <Button variant="subtle" size="xs" onClick={stop}>
          {messages.select.stop}
        </Button>
      </div>
      <div className={classes.buttons}>
        <Button
          variant="default"
          className={classes.button}
          disabled={count === 0 || isPending}
          loading={isPending && variables === 'deny'}
          onClick={() => steady(() => mutate('deny'))}
        >
          {messages.select.deny(count)}
        </Button>
        <Button
          className={approve.armed ? `${classes.button} danger` : classes.button}
          disabled={why !== false || isPending}
          aria-describedby={why ? whyId : undefined}
          loading={isPending && variables === 'approve'}
          onClick={() => steady(approve.press)}
        >
          {approve.armed ? messages.select.confirm(count, summary) : messages.select.approve(count)}
        </Button>
      </div>
    </div>
  );
}
