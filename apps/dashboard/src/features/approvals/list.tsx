import type { ActionSummary } from '#contracts';
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react';
import { ErrorCard, PartNotLoaded } from '../../components/notices.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { useMay } from '../../lib/workspace.js';
import { inTab, type InboxView } from './filters.js';
import type { ActionGroup } from './groups.js';
import classes from './page.module.css';
import { messages } from './messages.js';
import { Row } from './row.js';
import { SkipToDecision } from './skip-to-decision.js';
import { useSteadyRows } from './steady.js';
import type { useInbox } from './use-inbox.js';

interface Props {
  view: InboxView;
  source: ReturnType<typeof useInbox>;
  groups: readonly ActionGroup[];
  currentId: string | undefined;
  linkTo: (actionId: string) => string;
  /** null outside select mode. */
  selected: ReadonlySet<string> | null;
  onSelect: (group: ActionGroup) => void;
  clearFilters: () => void;
}

/** Loaded on demand, because most lists are not empty. */
const Nothing = lazy(() => import('./nothing.js').catch(() => ({ default: PartNotLoaded })));

/**
 * The offer is below the list, so the list does not wait for it. If its code can't be loaded, the list works without
 * it.
 */
const Offer = lazy(() => import('../../components/push/offer.js').catch(() => ({ default: () => null })));

/** After this time without input, the list removes the rows that others decided. */
const IDLE_MS = 6000;

export function InboxList({ view, source, groups, currentId, linkTo, selected, onSelect, clearFilters }: Props) {
  const { query, inbox, tidy } = source;
  const decides = useMay('approver');
  const touched = useRef(0);
  const untidy = inbox.shown.some(
    (action: ActionSummary) => view.tab !== 'mine' && !inTab(action, view.tab, undefined),
  );
  useEffect(() => {
    if (!untidy) return;
    touched.current = performance.now();
    const timer = setInterval(() => {
      if (performance.now() - touched.current > IDLE_MS) tidy();
    }, 1000);
    return () => clearInterval(timer);
  }, [untidy, tidy]);
  useCurrentInView(currentId, inbox.loaded);
  const onClickCapture = useSteadyRows(useMemo(() => groups.map(({ first }) => first.action_id), [groups]));
  const touch = () => {
    touched.current = performance.now();
  };

  return (
    <div className={classes.listBox} onPointerMove={touch} onPointerDown={touch} onKeyDown={touch}>
      {query.isError && !inbox.loaded ? (
        <ErrorCard error={query.error} retry={() => void query.refetch()} />
      ) : !inbox.loaded ? (
        <RowsSkeleton />
      ) : groups.length === 0 ? (
        <>
          <Suspense>
            <Nothing view={view} clearFilters={clearFilters} />
          </Suspense>
          <Suspense>
            <Offer />
          </Suspense>
        </>
      ) : (
        <ul className={`plain-list ${classes.list}`} aria-label={messages.list} onClickCapture={onClickCapture}>
          {groups.map((group) => (
            <li key={group.first.action_id}>
              <Row
                group={group}
                tab={view.tab}
                to={linkTo(group.first.action_id)}
                current={group.actions.some(({ action_id }) => action_id === currentId)}
                selected={selected && group.actions.every(({ action_id }) => selected.has(action_id))}
                fresh={group.actions.some(({ action_id }) => inbox.fresh.includes(action_id))}
                onSelect={onSelect}
              />
              {decides &&
                group.actions.some(({ action_id, status }) => action_id === currentId && status === 'PENDING') && (
                  <SkipToDecision />
                )}
            </li>
          ))}
          <NextPage query={query} />
          <Suspense>
            <Offer component="li" />
          </Suspense>
        </ul>
      )}
    </div>
  );
}

/** An action that a link has opened may be far down the list. A row that is partly visible does not move. */
function useCurrentInView(currentId: string | undefined, loaded: boolean): void {
  useEffect(() => {
    const row = document.querySelector('a[data-action-id][aria-current]');
    const list = row?.closest('ul');
    if (!row || !list) return;
    const [{ top, bottom }, visible] = [row.getBoundingClientRect(), list.getBoundingClientRect()];
    if (bottom <= visible.top || top >= visible.bottom) row.scrollIntoView({ block: 'center' });
  }, [currentId, loaded]);
}

/** Fetches the next page shortly before the end of the list becomes visible. */
function NextPage({ query }: { query: Props['source']['query'] }) {
  const end = useRef<HTMLLIElement>(null);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (!hasNextPage || isFetchingNextPage || !end.current) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) void fetchNextPage();
      },
      { rootMargin: '600px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (query.isFetchNextPageError) {
    return (
      <li>
        <ErrorCard error={query.error} retry={() => void fetchNextPage()} />
      </li>
    );
  }
  return hasNextPage ? (
    <li ref={end}>
      <RowsSkeleton rows={1} />
    </li>
  ) : null;
}
