import { NavLink, useLocation } from 'react-router';
import { useTabInView } from '../lib/tab-in-view.js';
import classes from './page-tabs.module.css';

interface Props {
  label: string;
  tabs: readonly { to: string; label: string; count?: number }[];
}

/** Tabs, each with its own URL. */
export function PageTabs({ label, tabs }: Props) {
  const nav = useTabInView(useLocation().pathname);
  return (
    <nav ref={nav} aria-label={label} className={`${classes.tabs} scroll-tabs`}>
      {tabs.map((tab) => (
        <NavLink key={tab.to} to={tab.to} replace className={classes.tab}>
          {tab.label}
          {tab.count !== undefined && tab.count > 0 && <span className={classes.count}>{tab.count}</span>}
        </NavLink>
      ))}
    </nav>
  );
}
