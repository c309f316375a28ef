import type { Action, ActionContext } from '#contracts';
import { Anchor, Button, Checkbox, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { Callout } from '../../components/notices.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { now } from '../../lib/clock.js';
import { untilTime } from '../../lib/format.js';
import { needsConfirmation } from '../../lib/risk.js';
import { spelledOut } from '../../lib/text-safety.js';
import { useReads } from '../../lib/workspace.js';
import classes from './action-bar.module.css';
import { allowMessages } from './allow-messages.js';
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

const MINUTES = [15, 60, 1440] as const;

/** Workspaces limit how long the rules of approvers may last, to an hour or more. */
const withinHours = (max: number | null) => MINUTES.filter((minutes) => max === null || minutes <= max * 60);

/** Approves and allows similar requests for a while. It shows the scope in words first. */
export default function AllowPanel({ action, context, busy, submit, close }: Props) {
  const [minutes, setMinutes] = useState<number>(15);
  const [wider, setWider] = useState(false);
  const reads = useReads();
  const offered = context?.allowSimilar;
  const widerPath = offered?.widerPathPattern;
  const scope = offered && wider && widerPath ? { ...offered, pathPattern: widerPath } : offered;
  const twoStep = useTwoStep(needsConfirmation(action), spelledOut(action.summary), () => {
    if (scope) submit({ scope, minutes });
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
      ) : !scope ? (
        <Callout tone="warning">
          {context.allowSimilarWithheld
            ? allowMessages.withheld[context.allowSimilarWithheld]
            : allowMessages.unavailable}
        </Callout>
      ) : (
        <>
          <SegmentedControl
            fullWidth
            aria-label={allowMessages.for}
            value={minutes}
            onChange={setMinutes}
            data={withinHours(scope.maxHours).map((value) => ({ value, label: allowMessages.durations[value]! }))}
          />
          {widerPath && (
            <Checkbox
              label={allowMessages.wider(spelledOut(widerPath))}
              checked={wider}
              onChange={(event) => setWider(event.currentTarget.checked)}
            />
          )}
          {scope.overruledBy ? (
            <Callout tone="warning">{allowMessages.overruled(scope.overruledBy)}</Callout>
          ) : (
            <div>
              {allowMessages.scope(
                action.agent.name,
                scope.methods.join(', '),
                spelledOut(scope.pathPattern || '/**'),
                action.service.name,
                untilTime(now() + minutes * 60_000, now()),
              )}{' '}
              {!wider && (
                <Text span c="dimmed">
                  {allowMessages.matched(scope.matched, scope.of)}
                </Text>
              )}
            </div>
          )}
        </>
      )}
      <Group justify="flex-end">
        {reads && action.service.id !== null && (
          <Anchor
            component={Link}
            to={`/services/${action.service.id}/rules`}
            size="sm"
            me="auto"
            w={{ base: '100%', xs: 'auto' }}
          >
            {allowMessages.rules}
          </Anchor>
        )}
        <Button variant="default" onClick={close} h={48} flex={{ base: '1 0 auto', xs: 'none' }}>
          {messages.decide.cancel}
        </Button>
        <Button
          autoFocus
          className={classes.tall}
          color={twoStep.armed ? 'danger' : undefined}
          translate={twoStep.armed ? 'no' : undefined}
          style={{ flex: '2 1 170px' }}
          disabled={!scope || scope.overruledBy !== null}
          loading={busy}
          onClick={twoStep.press}
        >
          {twoStep.armed ? messages.decide.confirm(spelledOut(action.summary)) : allowMessages.submit(label)}
        </Button>
      </Group>
    </Stack>
  );
}
