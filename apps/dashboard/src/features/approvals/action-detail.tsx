import { Anchor, Box, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import { ErrorCard, PartNotLoaded } from '../../components/notices.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { failure } from '../../lib/http.js';
import { useMay } from '../../lib/workspace.js';
import { ActionBar } from './action-bar.js';
import bar from './action-bar.module.css';
import classes from './action-detail.module.css';
import { actionQuery } from './api.js';
import type { Back } from './facts.js';
import { messages } from './messages.js';
import { Reading } from './reading.js';
import { useContextOf } from './use-context-of.js';
import { useLapsed } from './use-lapsed.js';
import { useSeenParts } from './use-seen.js';
import { useWhole } from './use-whole.js';

const NoAction = lazy(() => import('./no-action.js').catch(() => ({ default: PartNotLoaded })));
const ReviseDialog = lazy(() => import('./revise/dialog.js'));

interface Props {
  actionId: string;
  back: Back;
  /** The next waiting action. */
  next?: { to: string; text: string } | undefined;
  /** The number of identical actions in the list. */
  identical?: number;
  selectIdentical?: () => void;
  onDecided?: (actionIds: string[]) => void;
  /** Called when the person has revised this action as another one. */
  onRevised: (id: string, as: string) => void;
}

/** How often the action is refetched to show the agent's last status check, which raises no event. */
const POLL_MS = 10_000;

export function ActionDetail({ actionId, back, next, identical = 1, selectIdentical, onDecided, onRevised }: Props) {
  const [revising, setRevising] = useState(false);
  const { data, error, refetch } = useQuery({
    ...actionQuery(actionId),
    refetchInterval: ({ state }) =>
      state.data?.status === 'PENDING' || state.data?.status === 'APPROVED' ? POLL_MS : false,
  });
  const { action, rest } = useWhole(useLapsed(data, refetch));
  const decides = useMay('approver');
  const { seen, article, bar: barRef } = useSeenParts(action);
  const { context, isReady } = useContextOf(actionId, action);

  if (error && !action) {
    if (failure(error).status === 404 || failure(error).status === 400) {
      return (
        <Suspense fallback={<PageSkeleton />}>
          <NoAction back={back} />
        </Suspense>
      );
    }
    return <ErrorCard error={error} retry={() => void refetch()} />;
  }
  if (!action || !seen || !isReady) return <PageSkeleton />;
  return (
    <Stack
      gap={0}
      mih="100%"
      aria-label={messages.detail.region}
      renderRoot={(root) => <article {...root} ref={article} />}
    >
      <Stack
        gap={20}
        flex={1}
        w="100%"
        maw={760}
        px={{ base: 'lg', md: 28 }}
        pt={{ base: 'md', md: 20 }}
        pb="xl"
        className={classes.scroll}
      >
        <Reading action={action} context={context} back={back} rest={rest}>
          {identical > 1 && action.status === 'PENDING' && (
            <Text>
              {messages.detail.identical(identical)}{' '}
              <Anchor component="button" type="button" size="sm" py="xs" onClick={selectIdentical}>
                {messages.detail.selectIdentical}
              </Anchor>
            </Text>
          )}
        </Reading>
      </Stack>
      {action.status === 'PENDING' && decides ? (
        <ActionBar
          key={action.action_id}
          action={action}
          context={context}
          onDecided={(ids) => onDecided?.(ids)}
          revise={() => {
            rest.load();
            setRevising(true);
          }}
          seen={seen}
          bar={barRef}
        />
      ) : (
        <Box hiddenFrom="md" className={bar.bar}>
          <Button component={Link} to={next?.to ?? back.to} variant="default" fullWidth maw={640} h={48} replace>
            {next?.text ?? back.done}
          </Button>
        </Box>
      )}
      {/* Outside the bar, so that the dialog and its typed text stay when somebody else decides first. */}
      {revising && rest.error && <ErrorCard error={rest.error} retry={rest.load} />}
      {revising && !action.bodyTruncated && (
        <Suspense fallback={<div data-opening hidden />}>
          <ReviseDialog
            action={action}
            amounts={context?.amounts ?? []}
            close={() => setRevising(false)}
            onDone={(revision) => onRevised(actionId, revision.action_id)}
          />
        </Suspense>
      )}
    </Stack>
  );
}
