import type { Action, ActionCounts } from '#contracts';
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { EmptyState } from '../../components/notices.js';
import { announce } from '../../lib/announce.js';
import { useNow } from '../../lib/clock.js';
import { duration } from '../../lib/format.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { actionCountsQuery, meQuery } from '../../lib/queries.js';
import { useTabInView } from '../../lib/tab-in-view.js';
import { pageTitle } from '../../lib/title.js';
import { ActionDetail } from './action-detail.js';
import { FilterBar } from './filter-bar.js';
import { readView, type Tab } from './filters.js';
import { groupIdentical, type ActionGroup } from './groups.js';
import { InboxList } from './list.js';
import { messages } from './messages.js';
import classes from './page.module.css';
import { useInbox } from './use-inbox.js';

const BatchBar = lazy(() => import('./batch-bar.js'));

/** The inbox: a list and the details of one action. On phones, the details are a separate page. */
export function Component() {
  const { actionId } = useParams();
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const wide = useMediaQuery('(min-width: 64em)', undefined, { getInitialValueInEffect: false }) ?? true;
  const view = useMemo(() => readView(search), [search]);
  const { data: me } = useQuery(meQuery);
  const { data: counts } = useQuery(actionCountsQuery);
  const source = useInbox(view, me?.id);
  const { inbox } = source;
  const groups = useGroups(inbox.shown);
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null);

  const suffix = search.size > 0 ? `?${search.toString()}` : '';
  const linkTo = useCallback((id: string) => `/approvals/${id}${suffix}`, [suffix]);
  const currentIndex = groups.findIndex(({ actions }) => actions.some(({ action_id }) => action_id === actionId));
  const current = groups[currentIndex];

  // With two panes, the second is never empty: if no action is open, the first one opens once.
  const first = groups[0]?.first.action_id;
  useEffect(() => {
    if (wide && !actionId && first) void navigate(linkTo(first), { replace: true });
  }, [wide, actionId, first, navigate, linkTo]);
  useEffect(() => {
    if (!actionId) pageTitle.set(messages.title);
  }, [actionId]);

  const set = useCallback(
    (name: string, value: string) => {
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (value) next.set(name, value);
          else next.delete(name);
          return next;
        },
        { replace: true },
      );
    },
    [setSearch],
  );
  // The search field keeps typed text. It resets when the search is cleared elsewhere.
  const [epoch, setEpoch] = useState(0);
  const restart = () => setEpoch((before) => before + 1);
  const clearFilters = () => {
    restart();
    setSearch(view.tab === 'waiting' ? {} : { tab: view.tab }, { replace: true });
  };

  function go(index: number) {
    const target = groups[Math.max(0, Math.min(index, groups.length - 1))];
    if (!target) return;
    const { action_id } = target.first;
    if (wide) void navigate(linkTo(action_id), { replace: true });
    focusRow(action_id);
  }

  /** Opens the next action in the second pane. On a phone, the page stays and shows the result. */
  function onDecided(ids: string[]) {
    const stays = (group: ActionGroup) => !group.actions.every(({ action_id }) => ids.includes(action_id));
    const next =
      groups.slice(currentIndex + 1).find(stays) ?? groups.slice(0, Math.max(currentIndex, 0)).findLast(stays);
    source.remove(ids);
    source.tidy();
    if (!wide || !actionId || !ids.includes(actionId)) return;
    void navigate(next ? linkTo(next.first.action_id) : `/approvals${suffix}`, { replace: true });
    if (next) focusRow(next.first.action_id);
  }

  /** Adds new actions and removes decided ones. Runs only when the user asks for it. */
  function show() {
    source.tidy();
    source.reveal();
  }

  const toggle = useCallback(
    (group: ActionGroup) =>
      setSelected((before) => {
        const next = new Set(before);
        const ids = group.actions.map(({ action_id }) => action_id);
        const all = ids.every((id) => next.has(id));
        for (const id of ids) {
          if (all) next.delete(id);
          else next.add(id);
        }
        return next;
      }),
    [],
  );

  useShortcuts(messages.keys.scope, [
    { keys: 'j', label: messages.keys.next, run: () => go(focusedIndex(groups, currentIndex) + 1) },
    { keys: 'k', label: messages.keys.previous, run: () => go(focusedIndex(groups, currentIndex) - 1) },
    { keys: 'Enter', label: messages.keys.open, run: () => document.querySelector<HTMLElement>('article h1')?.focus() },
    {
      keys: 'x',
      label: messages.keys.select,
      run: () => {
        const group = groups[focusedIndex(groups, currentIndex)];
        if (group && view.tab === 'waiting') toggle(group);
      },
    },
    {
      keys: 'Escape',
      label: messages.keys.back,
      run: () => (selected ? setSelected(null) : wide ? undefined : void navigate(`/approvals${suffix}`)),
    },
  ]);

  const waiting = counts?.pending ?? 0;
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
          {view.tab === 'waiting' && groups.length > 0 && (
            <Button variant="subtle" size="xs" onClick={() => setSelected(selected ? null : new Set())}>
              {selected ? messages.select.stop : messages.select.start}
            </Button>
          )}
        </Header>
        <Tabs tab={view.tab} approved={counts?.approved ?? 0} waiting={waiting} onChange={restart} />
        <FilterBar key={epoch} view={view} set={set} clear={clearFilters} />
        <InboxList
          view={view}
          source={source}
          groups={groups}
          currentId={actionId}
          linkTo={linkTo}
          selected={selected}
          onSelect={toggle}
          clearFilters={clearFilters}
        />
        {selected && (
          <Suspense>
            <BatchBar
              selected={inbox.shown.filter(({ action_id, status }) => selected.has(action_id) && status === 'PENDING')}
              onDecided={(ids) => {
                setSelected(new Set());
                onDecided(ids);
              }}
              stop={() => setSelected(null)}
            />
          </Suspense>
        )}
      </section>
      <section className={classes.detail} aria-label={messages.detail.region}>
        {actionId ? (
          <ActionDetail
            key={actionId}
            actionId={actionId}
            known={current?.actions.find(({ action_id }) => action_id === actionId)}
            waiting={waiting}
            backTo={`/approvals${suffix}`}
            nextTo={nextWaiting ? linkTo(nextWaiting.first.action_id) : null}
            identical={current?.actions.length ?? 1}
            selectIdentical={() => {
              setSelected(new Set(current?.actions.map(({ action_id }) => action_id)));
              if (!wide) void navigate(`/approvals${suffix}`);
            }}
            onDecided={onDecided}
          />
        ) : (
          wide && inbox.loaded && groups.length > 0 && <EmptyState icon="approvals" title={messages.detail.choose} />
        )}
      </section>
    </div>
  );
}

/** Groups stay the same objects while their members do not change. */
function useGroups(actions: readonly Action[]): readonly ActionGroup[] {
  const [last, setLast] = useState(() => ({ actions, groups: groupIdentical(actions) }));
  if (last.actions === actions) return last.groups;
  const groups = groupIdentical(actions, last.groups);
  setLast({ actions, groups });
  return groups;
}

/** In the header, where it neither covers nor moves a row. */
function Newcomers({ count, show }: { count: number; show: () => void }) {
  useEffect(() => announce(messages.showNewcomers(count)), [count]);
  return (
    <button type="button" className={classes.pill} aria-label={messages.showNewcomers(count)} onClick={show}>
      {messages.newcomers(count)} ↓
    </button>
  );
}

/** Runs after the next render, when the row exists. */
function focusRow(actionId: string): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-action-id="${CSS.escape(actionId)}"]`)?.focus(),
  );
}

/** The row that shortcuts act on: the focused row, else the open one. */
function focusedIndex(groups: readonly ActionGroup[], currentIndex: number): number {
  const id = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['actionId'] : undefined;
  const focused = id === undefined ? -1 : groups.findIndex(({ first }) => first.action_id === id);
  return focused === -1 ? currentIndex : focused;
}

function Header({ counts, children }: { counts: ActionCounts | undefined; children: React.ReactNode }) {
  const waiting = counts?.pending ?? 0;
  const oldest = counts?.oldestPendingAt ?? null;
  const age = useNow((now) => (oldest ? messages.oldest(duration((now - Date.parse(oldest)) / 1000)) : ''));
  return (
    <header className={classes.header}>
      <h1 className={classes.title} tabIndex={-1}>
        {messages.title}
      </h1>
      <span className={classes.dim}>
        {waiting > 0 ? messages.waiting(waiting) : counts && messages.none}
        {waiting > 0 && age && ` · ${age}`}
      </span>
      <span className={classes.headerActions}>{children}</span>
    </header>
  );
}

interface TabsProps {
  tab: Tab;
  waiting: number;
  approved: number;
  onChange: () => void;
}

function Tabs({ tab, waiting, approved, onChange }: TabsProps) {
  const items: { tab: Tab; label: string; count: number }[] = [
    { tab: 'waiting', label: messages.tabs.waiting, count: waiting },
    { tab: 'approved', label: messages.tabs.approved, count: approved },
    { tab: 'mine', label: messages.tabs.mine, count: 0 },
  ];
  // The counts arrive later and widen the tabs.
  const nav = useTabInView(`${tab} ${waiting > 0} ${approved > 0}`);
  return (
    <nav ref={nav} className={`${classes.tabs} scroll-tabs`} aria-label={messages.tabs.label}>
      {items.map((item) => (
        <Link
          key={item.tab}
          to={item.tab === 'waiting' ? '/approvals' : `/approvals?tab=${item.tab}`}
          className={classes.tab}
          aria-current={item.tab === tab || undefined}
          onClick={onChange}
        >
          {item.label}
          {item.count > 0 && <span className={classes.tabCount}>{item.count}</span>}
        </Link>
      ))}
    </nav>
  );
}
