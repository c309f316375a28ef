import { Badge, Box, Button, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { NavLink, Outlet, useLocation, useNavigate } from 'react-router';
import { Dot } from '../components/dot.js';
import { Icon } from '../components/icon.js';
import { PageSkeleton } from '../components/skeletons.js';
import { useShortcuts, type Shortcut } from '../lib/keyboard.js';
import { useLive } from '../lib/live.js';
import { messages } from '../lib/messages.js';
import { actionCountsQuery, every, modelFails, statusQuery } from '../lib/queries.js';
import { logOut } from '../lib/session.js';
import { useStore } from '../lib/store.js';
import { pageTitle } from '../lib/title.js';
import { showFailure } from '../lib/toasts.js';
import { usePreload } from '../lib/use-preload.js';
import { useWorkspace } from '../lib/workspace.js';
import { ErrorBoundary } from './error-boundary.js';
import { KeptWorkspace } from './kept-workspace.js';
import { LiveBar } from './live-bar.js';
import { TAB_BAR_ITEMS, useNavigation, type NavigationItem } from './navigation.js';
import classes from './shell.module.css';

const overlays = {
  palette: () => import('./palette.js'),
  more: () => import('./more-sheet.js'),
  sheet: () => import('./shortcut-sheet.js'),
};
const Palette = lazy(overlays.palette);
const MoreSheet = lazy(overlays.more);
const ShortcutSheet = lazy(overlays.sheet);
const PauseBar = lazy(() => import('../features/pause/pause-bar.js'));
const RailFoot = lazy(() => import('./rail-foot.js'));
const Switcher = lazy(() => import('../features/workspaces/switcher.js'));
/** These lead to other pages, so they must work offline. */
const LATER = Object.values(overlays);

/** How often an open dashboard shows the other members that this person is here. */
const HERE_MS = 120_000;

/** The frame around every page after login. */
export function Shell() {
  const [overlay, setOverlay] = useState<keyof typeof overlays | null>(null);
  const main = useRef<HTMLElement>(null);
  const waiting = useQuery({ ...actionCountsQuery, refetchInterval: HERE_MS }).data?.waitingForMe ?? 0;
  const pages = useNavigation();
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const location = useLocation();

  useTitle(waiting);
  useFocusOnRoute(main);
  useShortcuts(messages.shortcuts.everywhere, [
    { keys: 'Mod+k', label: messages.shortcuts.palette, run: () => setOverlay('palette'), always: true },
    { keys: '?', label: messages.shortcuts.help, run: () => setOverlay('sheet') },
    ...pages.flatMap(({ to, label, letter }): Shortcut[] =>
      letter ? [{ keys: `g ${letter}`, label: messages.shortcuts.goTo(label), run: () => void navigate(to) }] : [],
    ),
  ]);
  usePreload(LATER);

  // On a phone, an open action uses the whole page. Its action bar replaces the tab bar.
  const deciding = /^\/approvals\/./.test(location.pathname);
  return (
    <div className={classes.frame} data-deciding={deciding || undefined}>
      <a href="#main" className={classes.skip}>
        {messages.nav.skip}
      </a>
      <Rail waiting={waiting} openPalette={() => setOverlay('palette')} />
      <Stack gap={0} flex={1} miw={0} className={classes.column}>
        <LiveBar />
        {workspace?.pause && (
          <Suspense>
            <PauseBar workspace={workspace} />
          </Suspense>
        )}
        <main id="main" ref={main} tabIndex={-1} className={classes.main}>
          <ErrorBoundary resetKey={location.pathname}>
            <Suspense fallback={<PageSkeleton />}>
              <KeptWorkspace>
                <Outlet />
              </KeptWorkspace>
            </Suspense>
          </ErrorBoundary>
        </main>
      </Stack>
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

function Count({ value, size }: { value: number; size?: 'sm' }) {
  if (value === 0) return null;
  return (
    <Badge variant="filled" color="pine" size={size} miw={20}>
      {value > 99 ? '99+' : value}
      <span className="visually-hidden"> {messages.nav.waiting(value)}</span>
    </Badge>
  );
}

function Rail({ waiting, openPalette }: { waiting: number; openPalette: () => void }) {
  const pages = useNavigation();
  return (
    <Stack
      gap={2}
      visibleFrom="md"
      className={classes.rail}
      aria-label={messages.nav.label}
      renderRoot={(root) => <nav {...root} />}
    >
      <Group gap="sm" px="sm" pt={2} pb={14} fw={650} wrap="nowrap">
        <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" fill="var(--agw-accent)" />
          <path d="M9 7v18M23 7v18" stroke="var(--agw-surface)" strokeWidth="3" strokeLinecap="round" />
          <circle cx="16" cy="16" r="3.5" fill="var(--agw-surface)" />
        </svg>
        {messages.product}
      </Group>
      {/* Without it, the page works all the same. */}
      <ErrorBoundary fallback={null}>
        <Suspense fallback={<Box h={48} flex="none" />}>
          <Switcher />
        </Suspense>
      </ErrorBoundary>
      <Button
        variant="default"
        flex="none"
        mb="md"
        px="sm"
        bd="1px solid var(--agw-line)"
        c="dimmed"
        fw={400}
        justify="start"
        leftSection={<Icon name="search" size={16} />}
        rightSection={
          <Text span inherit fz={11}>
            {navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}
          </Text>
        }
        styles={{ label: { flex: 1 } }}
        onClick={openPalette}
      >
        {messages.nav.palette}
      </Button>
      {pages.map((item) => (
        <NavLink key={item.to} to={item.to} className={classes.link}>
          <Icon name={item.icon} />
          <Text span inherit flex={1}>
            {item.label}
          </Text>
          {item.to === '/approvals' && <Count value={waiting} />}
          {item.to === '/status' && <StatusDot />}
        </NavLink>
      ))}
      <Box mt="auto">
        <ErrorBoundary fallback={null}>
          <Suspense>
            <RailFoot leave={leave} />
          </Suspense>
        </ErrorBoundary>
      </Box>
    </Stack>
  );
}

/** How often the shell fetches the gateway's status. */
const STATUS_MS = 20_000;

/**
 * Green when live updates work, amber when the risk model fails, hollow without a connection. Phones have little space, so they
 * show it only when there is a problem.
 */
function StatusDot({ problemsOnly = false }: { problemsOnly?: boolean }) {
  const { connected } = useLive();
  const { data } = useQuery({ ...statusQuery, refetchInterval: every(STATUS_MS) });
  const failing = data != null && modelFails(data);
  const text = !connected ? messages.live.lost : failing ? messages.live.modelFails : messages.live.connected;
  if (problemsOnly && connected && !failing) return null;
  return (
    <Dot color={!connected ? undefined : failing ? 'var(--agw-amber)' : 'var(--agw-accent)'} title={text}>
      <span className="visually-hidden">{text}</span>
    </Dot>
  );
}

const leave = (): void => void logOut().catch(showFailure);

function TabBar({ waiting, openMore }: { waiting: number; openMore: () => void }) {
  const { pathname } = useLocation();
  const pages = useNavigation();
  const inMore = pages.slice(TAB_BAR_ITEMS).some((item) => isIn(item, pathname));
  return (
    <Box component="nav" hiddenFrom="md" className={classes.tabs} aria-label={messages.nav.label}>
      {pages.slice(0, TAB_BAR_ITEMS).map((item) => (
        <NavLink key={item.to} to={item.to} className={classes.tab}>
          <span className={classes.tabIcon}>
            <Icon name={item.icon} size={22} />
            {item.to === '/approvals' && <Count value={waiting} size="sm" />}
          </span>
          {item.label}
        </NavLink>
      ))}
      <UnstyledButton
        className={classes.tab}
        aria-haspopup="dialog"
        data-current={inMore || undefined}
        onClick={openMore}
      >
        <span className={classes.tabIcon}>
          <Icon name="more" size={22} />
          {/* The status page is under More. */}
          <StatusDot problemsOnly />
        </span>
        {messages.nav.more}
      </UnstyledButton>
    </Box>
  );
}

const isIn = (item: NavigationItem, pathname: string): boolean =>
  pathname === item.to || pathname.startsWith(`${item.to}/`);
