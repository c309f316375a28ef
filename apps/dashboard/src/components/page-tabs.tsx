import { Link, useLocation } from 'react-router';
import { useTabInView } from '../lib/tab-in-view.js';
import { Chip } from './chip.js';

interface Props {
  label: string;
  /** `current` is for pages that keep the tab in the query of the URL. */
  tabs: readonly { to: string; label: string; count?: number; current?: boolean }[];
}

/** Tabs, each with its own URL. They are links, so that they open in a new browser tab, too. */
export function PageTabs({ label, tabs }: Props) {
  const { pathname, search } = useLocation();
  const nav = useTabInView(`${pathname}${search}`);
  return (
    <nav ref={nav} aria-label={label} className="scroll-tabs">
      {tabs.map(({ to, label, count = 0, current = pathname === to }) => (
        <Link key={to} to={to} replace aria-current={current ? 'page' : undefined}>
          {label}
          {count > 0 && <Chip>{count}</Chip>}
        </Link>
      ))}
    </nav>
  );
}
