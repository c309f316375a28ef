import { Link } from 'react-router';
import type { HistoryView } from './filters.js';
import classes from './history.module.css';
import { messages } from './messages.js';

const TABS = ['requests', 'changes', 'access'] as const;

/** Requests of agents, changes by people, log-ins. The range stays. */
export function HistoryTabs({ view, search }: { view: HistoryView; search: URLSearchParams }) {
  const to = (tab: string) => {
    const next = new URLSearchParams();
    for (const name of ['range', 'from', 'to']) {
      const value = search.get(name);
      if (value) next.set(name, value);
    }
    if (tab !== 'requests') next.set('tab', tab);
    return next.size > 0 ? `/history?${next}` : '/history';
  };
  return (
    <nav className={classes.tabs} aria-label={messages.tabs.label}>
      {TABS.map((tab) => (
        <Link
          key={tab}
          to={to(tab)}
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
