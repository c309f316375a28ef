import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { useLocation, useParams } from 'react-router';
import { EmptyState, PartNotLoaded } from '../../components/notices.js';
import { actionCountsQuery, meQuery } from '../../lib/queries.js';
import { pageTitle } from '../../lib/title.js';
import { useMay } from '../../lib/workspace.js';
import { ActionDetail } from './action-detail.js';
import { FilterBar } from './filter-bar.js';
import { Header, Newcomers, OrderLine, Tabs } from './header.js';
import { InboxList } from './list.js';
import { messages } from './messages.js';
import classes from './page.module.css';
import { useGroups } from './use-groups.js';
import { useInbox } from './use-inbox.js';
import { useInboxKeys } from './use-inbox-keys.js';
import { useInboxView } from './use-inbox-view.js';
import { useMoves } from './use-moves.js';
import { useSelection } from './use-selection.js';

const PauseInHeader = lazy(() =>
  import('../../components/pause/pause-in-header.js').catch(() => ({ default: () => null })),
);
const ModelFailing = lazy(() => import('./model-failing.js').catch(() => ({ default: () => null })));
const FromHistory = lazy(() => import('./from-history.js'));
const BatchBar = lazy(() => import('./batch-bar.js').catch(() => ({ default: PartNotLoaded })));

/** The inbox, or one action that was opened from the history. */
export function Component() {
  return useLocation().pathname.startsWith('/history') ? <FromHistory Detail={ActionDetail} /> : <Inbox />;
}

/** A list and the details of one action. On phones, the details are a separate page. */
function Inbox() {
  const { actionId } = useParams();
  const wide = useMediaQuery('(min-width: 64em)', undefined, { getInitialValueInEffect: false }) ?? true;
  const { data: me } = useQuery(meQuery);
  const { data: counts } = useQuery(actionCountsQuery);
  const place = useInboxView();
  const { view } = place;
  const source = useInbox(view, me?.id);
  const { inbox } = source;
  const groups = useGroups(inbox.shown);
  const selection = useSelection();
  const decides = useMay('approver');
  const selectable = decides && view.tab === 'waiting';
  const moves = useMoves({ groups, actionId, wide, source, place });
  useInboxKeys({ moves, selection, wide, selectable });
  useEffect(() => {
    if (!actionId) pageTitle.set(messages.title);
  }, [actionId]);

  /** Adds new actions and removes decided ones. Runs only when the user asks for it. */
  function show() {
    source.tidy();
    source.reveal();
    moves.toFresh();
  }

  const waiting = (decides ? counts?.waitingForMe : counts?.pending) ?? 0;
  const nextWaiting = groups.find(({ first }) => first.status === 'PENDING' && first.action_id !== actionId);
  return (
    <div
      className={classes.inbox}
      data-open={actionId !== undefined || undefined}
      data-alone={(!actionId && groups.length === 0) || undefined}
    >
      <section className={classes.pane} aria-label={messages.list}>
        <Header counts={counts}>
          {inbox.newcomers.length > 0 && <Newcomers count={inbox.newcomers.length} show={show} />}
          {!wide && (
            <Suspense>
              <PauseInHeader />
            </Suspense>
          )}
          {selectable && groups.length > 0 && (
            <Button variant="subtle" size="xs" onClick={() => (selection.ids ? selection.stop() : selection.start())}>
              {selection.ids ? messages.select.stop : messages.select.start}
            </Button>
          )}
        </Header>
        <Tabs tab={view.tab} counts={counts} onChange={place.restart} />
        <FilterBar key={place.epoch} view={view} set={place.set} clear={place.clear} />
        {counts?.modelFailingSince && (
          <Suspense>
            <ModelFailing since={counts.modelFailingSince} />
          </Suspense>
        )}
        {/* Also while the list loads, so that the rows do not move. */}
        {(groups.length > 0 || !inbox.loaded) && <OrderLine view={view} />}
        <InboxList
          view={view}
          source={source}
          groups={groups}
          currentId={actionId}
          linkTo={place.linkTo}
          selected={selection.ids}
          onSelect={selection.toggle}
          clearFilters={place.clear}
        />
        {selection.ids && (
          <Suspense>
            <BatchBar
              selected={inbox.shown.filter((each) => selection.ids!.has(each.action_id) && each.status === 'PENDING')}
              onDecided={(ids) => {
                selection.start();
                moves.decided(ids);
              }}
              stop={selection.stop}
            />
          </Suspense>
        )}
      </section>
      <section className={classes.detail} aria-label={messages.detail.region}>
        {actionId ? (
          <ActionDetail
            key={actionId}
            actionId={actionId}
            back={{ to: place.listUrl, text: messages.detail.back(waiting), done: messages.decide.done }}
            next={nextWaiting && { to: place.linkTo(nextWaiting.first.action_id), text: messages.decide.next(waiting) }}
            identical={moves.current?.actions.length ?? 1}
            selectIdentical={() => {
              selection.start(moves.current);
              if (!wide) moves.back();
              moves.toCurrent();
            }}
            onDecided={moves.decided}
            onRevised={moves.revised}
          />
        ) : (
          wide && inbox.loaded && groups.length > 0 && <EmptyState icon="approvals" title={messages.detail.choose} />
        )}
      </section>
    </div>
  );
}
