import { Link } from 'react-router';
import { FILTERS, TABS, type HistoryView, type Tab } from './filters.js';
import classes from './history.module.css';
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
    <nav className={classes.tabs} aria-label={messages.tabs.label}>
      {TABS.map((tab) => (
        <Link
          key={tab}
          to={tabLink(tab, search)}
          replace
          className={classes.tab}
          aria-current={view.tab === tab ? 'page' : undefined}
        >
          {messages.tabs[tab]}
        </Link>
      ))}
    </nav>
  );
}
