import type { Action, ActionContext } from '#contracts';
import { Anchor, Button, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { Callout } from '../../components/notices.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { isCritical } from '../../lib/risk.js';
import { spelledOut } from '../../lib/text-safety.js';
import { useReads } from '../../lib/workspace.js';
import classes from './action-bar.module.css';
import { AllowChoices } from './allow-choices.js';
import { allowMessages } from './allow-messages.js';
import { NARROWEST, toScope } from './allow-scope.js';
import { allowSimilar } from './allow-similar.js';
import { messages } from './messages.js';
import type { Decision } from './use-decide.js';
import { useTwoStep } from './use-two-step.js';

interface Props {
  action: Action;
  context: ActionContext | undefined;
  busy: boolean;
  submit: (allow: NonNullable<Decision['allow']>) => void;
  close: () => void;
}

/** The padding of the bar below the buttons, which stay on the screen while the rest of a long panel scrolls behind them. */
const INSET = 'calc(8px + env(safe-area-inset-bottom))';
const OUT = `calc(-1 * ${INSET})`;

/** Approves and allows similar requests for a while. It shows the scope in words first. */
export default function AllowPanel({ action, context, busy, submit, close }: Props) {
  const [minutes, setMinutes] = useState<number>(15);
  const [choice, setChoice] = useState(NARROWEST);
  const reads = useReads();
  const queryClient = useQueryClient();
  const offered = context?.allowSimilar;
  const impossible = offered?.noException;
  const scope = offered && !impossible ? toScope(action, offered, choice) : null;
  const twoStep = useTwoStep(isCritical(action), spelledOut(action.headline), () => {
    if (scope) submit(() => allowSimilar(queryClient, action, scope, minutes));
  });
  const label = allowMessages.durations[minutes]!;
  return (
    <Stack
      gap="sm"
      maw={704}
      pt={6}
      pb={2}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        close();
      }}
    >
      <strong>{allowMessages.title}</strong>
      {context === undefined ? (
        <RowsSkeleton rows={1} />
      ) : !offered ? (
        <Callout tone="warning">
          {context.allowSimilarWithheld
            ? allowMessages.withheld[context.allowSimilarWithheld]
            : allowMessages.unavailable}
        </Callout>
      ) : impossible ? (
        <Callout tone="warning">
          {allowMessages.impossible[impossible.why](impossible.rules.map(spelledOut), impossible.because)}
        </Callout>
      ) : (
        <AllowChoices
          action={action}
          offered={offered}
          scope={scope!}
          choice={choice}
          onChoose={(change) => setChoice((before) => ({ ...before, ...change }))}
          minutes={minutes}
          onMinutes={setMinutes}
        />
      )}
      {reads && action.service.id !== null && (
        <Anchor component={Link} to={`/services/${action.service.id}/rules`} size="sm" style={{ alignSelf: 'start' }}>
          {allowMessages.rules}
        </Anchor>
      )}
      <Group justify="flex-end" pos="sticky" bottom={OUT} mb={OUT} pt={8} pb={INSET} bg="var(--agw-surface)">
        <Button variant="default" onClick={close} h={48} flex={{ base: '1 0 auto', xs: 'none' }}>
          {messages.decide.cancel}
        </Button>
        <Button
          autoFocus
          className={classes.tall}
          color={twoStep.armed ? 'danger' : undefined}
          translate={twoStep.armed ? 'no' : undefined}
          style={{ flex: '2 1 170px' }}
          disabled={!scope}
          loading={busy}
          onClick={twoStep.press}
        >
          {twoStep.armed ? messages.decide.confirm(spelledOut(action.headline)) : allowMessages.submit(label)}
        </Button>
      </Group>
    </Stack>
  );
}
