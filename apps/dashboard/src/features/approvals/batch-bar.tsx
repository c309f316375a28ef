import type { Action } from '#contracts';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { useFoot } from '../../lib/foot.js';
import { failure } from '../../lib/http.js';
import { needsConfirmation } from '../../lib/risk.js';
import { spelledOut } from '../../lib/text-safety.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { decide } from './api.js';
import classes from './batch-bar.module.css';
import { areIdentical } from './groups.js';
import { messages } from './messages.js';
import { useSteady } from './steady.js';
import { useTwoStep } from './use-two-step.js';

interface Props {
  selected: readonly Action[];
  onDecided: (actionIds: string[]) => void;
  stop: () => void;
}

/** A browser opens about six connections to one host; more at once only queue. */
const AT_ONCE = 5;

async function decideAll(actions: readonly Action[], decision: 'approve' | 'deny') {
  const waiting = [...actions];
  const decided: string[] = [];
  let lost = 0;
  let problem: unknown = null;
  const worker = async () => {
    for (let action = waiting.shift(); action; action = waiting.shift()) {
      try {
        await decide(action.action_id, decision);
        decided.push(action.action_id);
      } catch (error) {
        if (failure(error).status === 409) lost += 1;
        else problem = error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { decided, lost, problem };
}

/** Decides what was selected: any set can be denied, only identical requests can be approved together. */
export function BatchBar({ selected, onDecided, stop }: Props) {
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
    mutationFn: (decision: 'approve' | 'deny') => decideAll(selected, decision),
    onSuccess: ({ decided, lost, problem }, decision) => {
      if (decided.length > 0) {
        showDone(
          messages.select.done(
            decided.length,
            decision === 'approve' ? messages.select.approved : messages.select.denied,
          ),
        );
      }
      if (lost > 0) showFailure(new Error(messages.select.lost(lost)));
      if (problem) showFailure(problem);
      onDecided(decided);
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
