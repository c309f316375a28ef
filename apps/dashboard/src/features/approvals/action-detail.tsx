import type { Action, ActionContext } from '#contracts';
import { Anchor, Box, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { BodyView, type BodyMode } from '../../components/request/body-view.js';
import { FormParts } from '../../components/request/form-parts.js';
import { headerOf, RequestView } from '../../components/request/request-view.js';
import { EmptyState, ErrorCard } from '../../components/notices.js';
import { Section } from '../../components/page.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { announce } from '../../lib/announce.js';
import { isShort } from '../../lib/body.js';
import { copyText } from '../../lib/clipboard.js';
import { redactedCurl } from '../../lib/curl.js';
import { failure } from '../../lib/http.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { messages as shared } from '../../lib/messages.js';
import { spelledOut } from '../../lib/text-safety.js';
import { pageTitle } from '../../lib/title.js';
import { showFailure } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { ActionBar } from './action-bar.js';
import bar from './action-bar.module.css';
import classes from './action-detail.module.css';
import { actionQuery, contextQuery } from './api.js';
import { Facts } from './facts.js';
import { messages } from './messages.js';

/** Loaded on demand, because few decisions need them. */
const ResultSection = lazy(() => import('./result.js'));
const ReviseDialog = lazy(() => import('./revise/dialog.js'));

/** Below the request, so it may come after it. If its code can't be loaded, the action can still be decided. */
const Evidence = lazy(() => import('./evidence.js').catch(() => ({ default: EvidenceNotLoaded })));

function EvidenceNotLoaded() {
  return <ErrorCard error={new Error(shared.errors.newVersion)} retry={() => location.reload()} />;
}

interface Props {
  actionId: string;
  /** The action from the list, shown until the response arrives. */
  known: Action | undefined;
  waiting: number;
  /** The URLs of the list and of the next waiting action. */
  backTo: string;
  nextTo: string | null;
  identical: number;
  selectIdentical: () => void;
  onDecided: (actionIds: string[]) => void;
  /** The person has made another action of this one. */
  onRevised: (id: string, as: string) => void;
}

/** How often the action is refetched to show the agent's last status check, which raises no event. */
const POLL_MS = 10_000;

export function ActionDetail({
  actionId,
  known,
  waiting,
  backTo,
  nextTo,
  identical,
  selectIdentical,
  onDecided,
  onRevised,
}: Props) {
  const [revising, setRevising] = useState(false);
  const {
    data: action,
    error,
    refetch,
  } = useQuery({
    ...actionQuery(actionId),
    placeholderData: known,
    refetchInterval: ({ state }) =>
      state.data?.status === 'PENDING' || state.data?.status === 'APPROVED' ? POLL_MS : false,
  });
  const decides = useMay('approver');
  const { data: context } = useQuery({ ...contextQuery(actionId), enabled: action !== undefined });

  if (error && !action) {
    if (failure(error).status === 404 || failure(error).status === 400) {
      return (
        <EmptyState
          heading
          icon="search"
          title={messages.detail.notFound}
          text={messages.detail.notFoundText}
          action={
            <Button component={Link} to={backTo}>
              {messages.detail.toInbox}
            </Button>
          }
        />
      );
    }
    return <ErrorCard error={error} retry={() => void refetch()} />;
  }
  if (!action) return <PageSkeleton />;
  return (
    <Stack gap={0} mih="100%" aria-label={messages.detail.region} renderRoot={(root) => <article {...root} />}>
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
        <Reading action={action} context={context} waiting={waiting} backTo={backTo}>
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
          onDecided={onDecided}
          revise={() => setRevising(true)}
        />
      ) : (
        <Box hiddenFrom="md" className={bar.bar}>
          <Button component={Link} to={nextTo ?? backTo} variant="default" fullWidth maw={640} h={48} replace>
            {nextTo ? messages.decide.next(waiting) : messages.decide.done}
          </Button>
        </Box>
      )}
      {/* Not in the bar, so that it stays open with what was typed when somebody else decides first. */}
      {revising && (
        <Suspense>
          <ReviseDialog
            action={action}
            close={() => setRevising(false)}
            onDone={(revision) => onRevised(actionId, revision.action_id)}
          />
        </Suspense>
      )}
    </Stack>
  );
}

interface ReadingProps {
  action: Action;
  context: ActionContext | undefined;
  waiting: number;
  backTo: string;
  /** Content between the main facts and the details. */
  children: ReactNode;
}

/** The readable part of an action and its shortcuts. */
function Reading({ action, context, waiting, backTo, children }: ReadingProps) {
  const [mode, setMode] = useState<BodyMode | null>(null);
  const [expanded, setExpanded] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const summary = spelledOut(action.summary);
  useEffect(() => pageTitle.set(summary), [summary]);

  const copyCurl = () =>
    void copyText(redactedCurl(action, context?.injectedHeaders ?? [])).then((copied) =>
      copied ? announce(messages.keys.copiedCurl) : showFailure(new Error(messages.keys.copyFailed)),
    );
  useShortcuts(messages.detail.region, [
    {
      keys: 'b',
      label: messages.keys.expand,
      run: () => {
        setExpanded(!expanded);
        body.current?.scrollIntoView({ block: 'nearest' });
      },
    },
    { keys: 'r', label: messages.keys.raw, run: () => setMode(mode === 'text' ? null : 'text') },
    { keys: 'c', label: messages.keys.copy, run: copyCurl },
  ]);

  const short = useMemo(
    () => action.body !== null && !action.parts && isShort(action.body, action.bodyEncoding),
    [action],
  );
  const bodyView = action.body !== null && (
    <div ref={body}>
      {action.parts && <FormParts parts={action.parts} />}
      <BodyView
        body={action.body}
        bodyEncoding={action.bodyEncoding}
        contentType={headerOf(action.headers, 'content-type')}
        mode={mode}
        onMode={setMode}
        expanded={expanded}
      />
    </div>
  );
  return (
    <>
      <Facts action={action} context={context} waiting={waiting} backTo={backTo} body={short ? bodyView : null} />
      {children}
      {action.result && (
        <Suspense>
          <ResultSection action={action} />
        </Suspense>
      )}
      <Section
        title={messages.detail.request}
        actions={
          <Anchor component="button" type="button" size="sm" py="xs" onClick={copyCurl}>
            {messages.detail.copyCurl}
          </Anchor>
        }
      >
        <RequestView request={action} injectedHeaders={context?.injectedHeaders} body={!short && bodyView} />
      </Section>
      <Suspense>
        <Evidence action={action} context={context} />
      </Suspense>
    </>
  );
}
