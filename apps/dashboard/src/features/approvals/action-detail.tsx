import type { Action, ActionContext } from '#contracts';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import type { BodyMode } from '../../components/request/BodyView.js';
import { RequestView } from '../../components/request/RequestView.js';
import { EmptyState, ErrorCard } from '../../components/Notices.js';
import { Section } from '../../components/Page.js';
import { PageSkeleton } from '../../components/Skeletons.js';
import { announce } from '../../lib/announce.js';
import { copyText } from '../../lib/clipboard.js';
import { redactedCurl } from '../../lib/curl.js';
import { failure } from '../../lib/http.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { spelledOut } from '../../lib/text-safety.js';
import { pageTitle } from '../../lib/title.js';
import { showFailure } from '../../lib/toasts.js';
import { ActionBar } from './action-bar.js';
import classes from './action-detail.module.css';
import { actionQuery, contextQuery } from './api.js';
import { Documentation, Similar, Timeline } from './evidence.js';
import { Facts } from './facts.js';
import { messages } from './messages.js';
import { ResultSection } from './result.js';

interface Props {
  actionId: string;
  /** The row of the list, shown until the answer is here. */
  known: Action | undefined;
  waiting: number;
  /** Where "back" and the next waiting action are. */
  backTo: string;
  nextTo: string | null;
  identical: number;
  selectIdentical: () => void;
  onDecided: (actionIds: string[]) => void;
}

/** How often the last status check of a waiting agent is looked up: checks themselves raise no event. */
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
}: Props) {
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
  const { data: context } = useQuery({ ...contextQuery(actionId), enabled: action !== undefined });
  const region = useRef<HTMLElement>(null);

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
    <article ref={region} className={classes.detail} aria-label={messages.detail.region}>
      <div className={classes.scroll}>
        <Facts action={action} context={context} waiting={waiting} backTo={backTo} />
        {identical > 1 && action.status === 'PENDING' && (
          <p className={classes.identical}>
            {messages.detail.identical(identical)}{' '}
            <button type="button" className={classes.linkButton} onClick={selectIdentical}>
              {messages.detail.selectIdentical}
            </button>
          </p>
        )}
        <ResultSection action={action} />
        <Evidence action={action} context={context} />
      </div>
      {action.status === 'PENDING' ? (
        <ActionBar key={action.action_id} action={action} context={context} onDecided={onDecided} />
      ) : (
        <div className={classes.after}>
          <Button component={Link} to={nextTo ?? backTo} variant="default" className={classes.afterButton} replace>
            {nextTo ? messages.decide.next(waiting) : messages.decide.done}
          </Button>
        </div>
      )}
    </article>
  );
}

/** What there is to read beyond the first facts, and the keys that work on it. */
function Evidence({ action, context }: { action: Action; context: ActionContext | undefined }) {
  const [mode, setMode] = useState<BodyMode | null>(null);
  const [expanded, setExpanded] = useState(false);
  const request = useRef<HTMLDivElement>(null);
  const summary = spelledOut(action.summary);
  useEffect(() => pageTitle.set(summary), [summary]);

  const copyCurl = () =>
    void copyText(redactedCurl(action, context?.injectedHeaders ?? [])).then((copied) =>
      copied ? announce(messages.keys.copiedCurl) : showFailure(new Error(messages.keys.copyFailed)),
    );
  useShortcuts(messages.detail.region, [
    {
      keys: 'e',
      label: messages.keys.expand,
      run: () => {
        setExpanded(!expanded);
        request.current?.scrollIntoView({ block: 'nearest' });
      },
    },
    { keys: 'r', label: messages.keys.raw, run: () => setMode(mode === 'text' ? null : 'text') },
    { keys: 'c', label: messages.keys.copy, run: copyCurl },
  ]);

  return (
    <>
      <div ref={request}>
        <Section
          title={messages.detail.request}
          actions={
            <button type="button" className={classes.linkButton} onClick={copyCurl}>
              {messages.detail.copyCurl}
            </button>
          }
        >
          <RequestView
            request={action}
            line={false}
            injectedHeaders={context?.injectedHeaders}
            mode={mode}
            onMode={setMode}
            expanded={expanded}
          />
        </Section>
      </div>
      <Documentation context={context} />
      <Similar context={context} />
      <Timeline action={action} />
    </>
  );
}
