import { PageTabs } from '../../components/page-tabs.js';
import { FILTERS, TABS, type HistoryView, type Tab } from './filters.js';
import { messages } from './messages.js';

const EVERYWHERE = ['range', 'from', 'to', 'q'] as const;

/** The URL of another tab. It keeps the range, the search, and the filters that the tab supports. */
export function tabLink(tab: Tab, search: URLSearchParams): string {
  const next = new URLSearchParams();
  for (const name of [...EVERYWHERE, ...FILTERS[tab]]) {
    const value = search.get(name);
    if (value) next.set(name, value);
  }
  if (tab !== 'requests') next.set('tab', tab);
  return next.size > 0 ? `/history?${next}` : '/history';
}

/** The tabs of the history. */
export function HistoryTabs({ view, search }: { view: HistoryView; search: URLSearchParams }) {
  return (
    <PageTabs
      label={messages.tabs.label}
      tabs={TABS.map((tab) => ({
        to: tabLink(tab, search),
        label: messages.tabs[tab],
        current: view.tab === tab,
      }))}
    />
  );
}
