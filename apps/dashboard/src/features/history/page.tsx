import { Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Page } from '../../components/page.js';
import { now } from '../../lib/clock.js';
import { currentSearch } from '../../lib/current-search.js';
import { ExportMenu } from './export-menu.js';
import { FilterBar } from './filter-bar.js';
import { readView, toFilter } from './filters.js';
import { HistoryList } from './history-list.js';
import { leftPlace } from './left-place.js';
import { messages } from './messages.js';
import { ChartsTab, Overview } from './overview.js';
import { RangeChoice } from './range-choice.js';
import { RecordDrawer } from './record-drawer.js';
import { HistoryTabs, tabLink } from './tabs.js';

/** The audit records. The URL has the whole view, so a bookmark is a saved view. */
export function Component() {
  const [search, setSearch] = useSearchParams();
  const view = useMemo(() => readView(search), [search]);
  // The page shows one moment, so that list, figures and charts are consistent until the user shows newer records.
  const [atMs, setAtMs] = useState(() => leftPlace(location.search)?.atMs ?? now());
  const set = useCallback(
    (change: Record<string, string | number | null>, push = false) => {
      const next = currentSearch();
      for (const [name, value] of Object.entries(change)) {
        if (value === null || value === '') next.delete(name);
        else next.set(name, String(value));
      }
      setSearch(next, { replace: !push });
    },
    [setSearch],
  );
  const filter = useMemo(() => toFilter(view, atMs), [view, atMs]);
  // On a phone, the range would push the export button into a line of its own.
  const wide = useMediaQuery('(min-width: 45em)', undefined, { getInitialValueInEffect: false }) ?? true;
  const range = <RangeChoice view={view} set={set} nowMs={atMs} />;
  return (
    <Page title={messages.title} aside={wide && range} lead={!wide && range} actions={<ExportMenu filter={filter} />}>
      <HistoryTabs view={view} search={search} />
      {view.tab !== 'changes' && view.tab !== 'access' && <Overview view={view} atMs={atMs} />}
      <Stack miw={0}>
        <FilterBar key={`filter-${view.tab}`} view={view} set={set} />
        {view.tab === 'charts' ? (
          <ChartsTab view={view} atMs={atMs} set={set} records={tabLink('requests', search)} />
        ) : (
          <HistoryList
            key={`list-${view.tab}`}
            view={view}
            filter={filter}
            atMs={atMs}
            open={(id) => set({ id }, true)}
            set={set}
            refresh={() => setAtMs(now())}
          />
        )}
      </Stack>
      <RecordDrawer id={search.get('id')} close={() => set({ id: null })} />
    </Page>
  );
}
