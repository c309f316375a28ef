import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { ErrorCard } from '../../components/Notices.js';
import { Page } from '../../components/Page.js';
import { now } from '../../lib/clock.js';
import { statsQuery } from './api.js';
import { ExportMenu } from './export-menu.js';
import { Figures } from './figures.js';
import { FilterBar } from './filter-bar.js';
import { readView, toFilter, toStatsFilter, type HistoryView } from './filters.js';
import classes from './history.module.css';
import { HistoryList } from './history-list.js';
import { messages } from './messages.js';
import { RangeChoice } from './range-choice.js';
import { RecordDrawer } from './record-drawer.js';
import { HistoryTabs } from './tabs.js';

const Charts = lazy(() => import('./charts.js'));

/** Everything that happened. The whole view is in the URL, so that a bookmark is a saved view. */
export function Component() {
  const [search, setSearch] = useSearchParams();
  const view = useMemo(() => readView(search), [search]);
  // The page is of one moment: pages, figures and charts fit each other until newer records are asked for.
  const [atMs, setAtMs] = useState(now);
  const set = useCallback(
    (change: Record<string, string | number | null>, push = false) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(change)) {
            if (value === null || value === '') next.delete(name);
            else next.set(name, String(value));
          }
          return next;
        },
        { replace: !push },
      ),
    [setSearch],
  );
  const filter = useMemo(() => toFilter(view, atMs), [view, atMs]);
  return (
    <Page
      title={messages.title}
      aside={<RangeChoice view={view} set={set} nowMs={atMs} />}
      actions={<ExportMenu filter={filter} />}
    >
      <HistoryTabs view={view} search={search} />
      {view.tab === 'requests' && <Overview view={view} atMs={atMs} set={set} />}
      <div className={classes.records}>
        <FilterBar key={`filter-${view.tab}`} view={view} set={set} />
        <HistoryList
          key={`list-${view.tab}`}
          view={view}
          filter={filter}
          open={(id) => set({ id }, true)}
          set={set}
          refresh={() => setAtMs(now())}
        />
      </div>
      <RecordDrawer id={search.get('id')} close={() => set({ id: null })} />
    </Page>
  );
}

interface OverviewProps {
  view: HistoryView;
  atMs: number;
  set: (change: Record<string, string | number | null>) => void;
}

/** The figures and charts of the range. On phones the charts wait behind a button. */
function Overview({ view, atMs, set }: OverviewProps) {
  const wide = useMediaQuery('(min-width: 45em)', undefined, { getInitialValueInEffect: false }) ?? true;
  const [wanted, setWanted] = useState<boolean | null>(null);
  const filter = useMemo(() => toStatsFilter(view, atMs), [view, atMs]);
  const stats = useQuery(statsQuery(filter));
  // Charts of nothing answer no question.
  const empty = stats.data?.requests === 0;
  const open = !empty && (wanted ?? wide);
  const fromMs = filter.from ? Date.parse(filter.from) : atMs - 7 * 86_400_000;
  if (stats.isError && !stats.data) return <ErrorCard error={stats.error} retry={() => void stats.refetch()} />;
  return (
    <div className={classes.overview}>
      <Figures stats={stats.data} />
      {!empty && (
        <Button
          size="xs"
          variant="subtle"
          className={classes.chartsToggle}
          aria-expanded={open}
          onClick={() => setWanted(!open)}
        >
          {open ? messages.charts.hide : messages.charts.show}
        </Button>
      )}
      {open && (
        <Suspense fallback={<div className={classes.chartsSpace} />}>
          {stats.data ? (
            <Charts
              stats={stats.data}
              fromMs={fromMs}
              toMs={filter.to ? Date.parse(filter.to) : atMs}
              onTime={(from, to) =>
                set({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), range: null })
              }
              onAgent={(id) => set({ agent: id })}
            />
          ) : (
            <div className={classes.chartsSpace} />
          )}
        </Suspense>
      )}
    </div>
  );
}
