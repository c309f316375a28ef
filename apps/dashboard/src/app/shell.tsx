import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { NavLink, Outlet, useLocation, useNavigate } from 'react-router';
import { Icon } from '../components/icon.js';
import { PageSkeleton } from '../components/skeletons.js';
import { useShortcuts, type Shortcut } from '../lib/keyboard.js';
import { useLive } from '../lib/live.js';
import { messages } from '../lib/messages.js';
import { actionCountsQuery, meQuery, modelFails, statusQuery } from '../lib/queries.js';
import { logOut } from '../lib/session.js';
import { useStore } from '../lib/store.js';
import { pageTitle } from '../lib/title.js';
import { showFailure } from '../lib/toasts.js';
import { ErrorBoundary } from './error-boundary.js';
import { LiveBar } from './live-bar.js';
import { navigation, TAB_BAR_ITEMS, type NavigationItem } from './navigation.js';
import classes from './shell.module.css';

const overlays = {
  palette: () => import('./palette.js'),
  more: () => import('./more-sheet.js'),
  sheet: () => import('./shortcut-sheet.js'),
};
const Palette = lazy(overlays.palette);
const MoreSheet = lazy(overlays.more);
const ShortcutSheet = lazy(overlays.sheet);
/** These lead to other pages, so they must work offline. They are loaded right after the first page. */
const OVERLAYS_AFTER_MS = 3000;

/** The frame around every page after login. */
export function Shell() {
  const [overlay, setOverlay] = useState<keyof typeof overlays | null>(null);
  const main = useRef<HTMLElement>(null);
  const waiting = useQuery(actionCountsQuery).data?.pending ?? 0;
  const navigate = useNavigate();
  const location = useLocation();

  useTitle(waiting);
  useFocusOnRoute(main);
  useShortcuts(messages.shortcuts.everywhere, [
    { keys: 'Mod+k', label: messages.shortcuts.palette, run: () => setOverlay('palette'), always: true },
    { keys: '?', label: messages.shortcuts.help, run: () => setOverlay('sheet') },
    ...navigation.flatMap(({ to, label, letter }): Shortcut[] =>
      letter ? [{ keys: `g ${letter}`, label: messages.shortcuts.goTo(label), run: () => void navigate(to) }] : [],
    ),
  ]);

  useEffect(() => {
    const timer = setTimeout(() => {
      for (const load of Object.values(overlays)) load().catch(() => {});
    }, OVERLAYS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  // On a phone, an open action uses the whole page. Its action bar replaces the tab bar.
  const deciding = /^\/approvals\/./.test(location.pathname);
  return (
    <div className={classes.frame} data-deciding={deciding || undefined}>
      <a href="#main" className={classes.skip}>
        {messages.nav.skip}
      </a>
      <Rail waiting={waiting} openPalette={() => setOverlay('palette')} />
      <div className={classes.column}>
        <LiveBar />
        <main id="main" ref={main} tabIndex={-1} className={classes.main}>
          <ErrorBoundary resetKey={location.pathname}>
            <Suspense fallback={<PageSkeleton />}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      <TabBar waiting={waiting} openMore={() => setOverlay('more')} />
      <Suspense>
        {overlay === 'palette' && <Palette close={() => setOverlay(null)} />}
        {overlay === 'more' && <MoreSheet close={() => setOverlay(null)} leave={leave} />}
        {overlay === 'sheet' && <ShortcutSheet close={() => setOverlay(null)} />}
      </Suspense>
    </div>
  );
}

function useTitle(waiting: number): void {
  const page = useStore(pageTitle);
  useEffect(() => {
    document.title = messages.title(page || messages.product, waiting);
    const badge = navigator as Navigator & { setAppBadge?: (count: number) => Promise<void> };
    void badge.setAppBadge?.(waiting).catch(() => {});
  }, [page, waiting]);
}

/** Moves the focus to the heading of a new page, for keyboards and screen readers. The first page keeps the browser's focus. */
function useFocusOnRoute(main: React.RefObject<HTMLElement | null>): void {
  const { pathname } = useLocation();
  const section = pathname.split('/')[1];
  const title = useStore(pageTitle);
  const before = useRef(section);
  const due = useRef(false);
  useEffect(() => {
    if (before.current !== section) due.current = true;
    before.current = section;
    if (!due.current) return;
    // While the code of the page loads, there is no new heading, and the old one is hidden. The title changes when the heading exists.
    const headings = main.current?.querySelectorAll('h1') ?? [];
    const heading = [...headings].find((each) => each.checkVisibility());
    (heading ?? main.current)?.focus();
    due.current = document.activeElement !== heading;
  }, [section, title, main]);
}

function Count({ value }: { value: number }) {
  if (value === 0) return null;
  return (
    <span className={classes.count}>
      {value > 99 ? '99+' : value}
      <span className="visually-hidden"> {messages.nav.waiting(value)}</span>
    </span>
  );
}

function Rail({ waiting, openPalette }: { waiting: number; openPalette: () => void }) {
  const { data: me } = useQuery(meQuery);
  return (
    <nav className={classes.rail} aria-label={messages.nav.label}>
      <div className={classes.brand}>
        <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" fill="var(--agw-accent)" />
          <path d="M9 7v18M23 7v18" stroke="var(--agw-surface)" strokeWidth="3" strokeLinecap="round" />
          <circle cx="16" cy="16" r="3.5" fill="var(--agw-surface)" />
        </svg>
        {messages.product}
      </div>
      <button type="button" className={classes.search} onClick={openPalette}>
        <Icon name="search" size={16} />
        <span>{messages.nav.palette}</span>
        <kbd>{navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {navigation.map((item) => (
        <NavLink key={item.to} to={item.to} className={classes.link}>
          <Icon name={item.icon} />
          <span className={classes.linkText}>{item.label}</span>
          {item.to === '/approvals' && <Count value={waiting} />}
          {item.to === '/status' && <StatusDot />}
        </NavLink>
      ))}
      <div className={classes.account}>
        <span className={classes.accountName} title={me?.email}>
          {me?.name}
        </span>
        <button
          type="button"
          className={classes.iconButton}
          aria-label={messages.nav.logOut}
          title={messages.nav.logOut}
          onClick={leave}
        >
          <Icon name="logout" size={18} />
        </button>
      </div>
    </nav>
  );
}

/** How often the shell fetches the gateway's status. */
const STATUS_MS = 20_000;

/** Green when live updates work, amber when the risk model fails, hollow without a connection. */
function StatusDot() {
  const { connected } = useLive();
  const { data } = useQuery({ ...statusQuery, refetchInterval: STATUS_MS });
  const failing = data !== undefined && modelFails(data);
  const text = !connected ? messages.live.lost : failing ? messages.live.modelFails : messages.live.connected;
  return (
    <span className={classes.dot} data-state={!connected ? 'lost' : failing ? 'failing' : 'good'} title={text}>
      <span className="visually-hidden">{text}</span>
    </span>
  );
}

const leave = (): void => void logOut().catch(showFailure);

function TabBar({ waiting, openMore }: { waiting: number; openMore: () => void }) {
  const { pathname } = useLocation();
  const inMore = navigation.slice(TAB_BAR_ITEMS).some((item) => isIn(item, pathname));
  return (
    <nav className={classes.tabs} aria-label={messages.nav.label}>
      {navigation.slice(0, TAB_BAR_ITEMS).map((item) => (
        <NavLink key={item.to} to={item.to} className={classes.tab}>
          <span className={classes.tabIcon}>
            <Icon name={item.icon} size={22} />
            {item.to === '/approvals' && <Count value={waiting} />}
          </span>
          {item.label}
        </NavLink>
      ))}
      <button
        type="button"
        className={classes.tab}
        aria-haspopup="dialog"
        data-current={inMore || undefined}
        onClick={openMore}
      >
        <span className={classes.tabIcon}>
          <Icon name="more" size={22} />
          {/* The status page is under More. */}
          <StatusDot />
        </span>
        {messages.nav.more}
      </button>
    </nav>
  );
}

const isIn = (item: NavigationItem, pathname: string): boolean =>
  pathname === item.to || pathname.startsWith(`${item.to}/`);
