import { Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useStore } from '@nanostores/react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Outlet, useLocation, useNavigate } from 'react-router';
import { PageSkeleton } from '../components/skeletons.js';
import { useShortcuts, type Shortcut } from '../lib/keyboard.js';
import { sharedMessages } from '../lib/messages.js';
import { actionCountsQuery } from '../lib/queries.js';
import { pageTitle } from '../lib/title.js';
import { mayLeave } from '../lib/unsaved.js';
import { useWorkspace } from '../lib/workspace.js';
import { ErrorBoundary } from './error-boundary.js';
import { KeptWorkspace } from './kept-workspace.js';
import { LiveBar } from './live-bar.js';
import { useNavigation } from './navigation.js';
import { Rail } from './rail.js';
import classes from './shell.module.css';
import { TabBar } from './tab-bar.js';
import { useFocusOnRoute } from './use-focus-on-route.js';
import { useOverlay } from './use-overlay.js';

const PauseBar = lazy(() => import('../features/pause/pause-bar.js'));

/** How often an open dashboard shows the other members that this person is here. */
const HERE_MS = 120_000;

/** The frame around every page after login. */
export function Shell() {
  const overlay = useOverlay();
  const main = useRef<HTMLElement>(null);
  const waiting = useQuery({ ...actionCountsQuery, refetchInterval: HERE_MS }).data?.waitingForMe ?? 0;
  const pages = useNavigation();
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const location = useLocation();
  // A phone does not load the code of what it does not show. Once shown, the rail stays: its dialogs may have input when a
  // tablet is turned.
  const isWide = useMediaQuery('(min-width: 64em)', undefined, { getInitialValueInEffect: false }) ?? true;
  const [hasRail, setHasRail] = useState(isWide);
  if (isWide && !hasRail) setHasRail(true);

  useTitle(waiting);
  useFocusOnRoute(main);
  useShortcuts(sharedMessages.shortcuts.everywhere, [
    { keys: 'Mod+k', label: sharedMessages.shortcuts.palette, run: () => overlay.open('palette'), always: true },
    { keys: '?', label: sharedMessages.shortcuts.help, run: () => overlay.open('sheet') },
    ...pages.flatMap(({ to, label, letter }): Shortcut[] =>
      letter
        ? [
            {
              keys: `g ${letter}`,
              label: sharedMessages.shortcuts.goTo(label),
              run: () => void (mayLeave() && navigate(to)),
            },
          ]
        : [],
    ),
  ]);

  // On a phone, an open action uses the whole page. Its action bar replaces the tab bar.
  const deciding = /^\/(approvals|history)\/./.test(location.pathname);
  return (
    <div className={classes.frame} data-shell data-deciding={deciding || undefined}>
      <div id="skip">
        <a href="#main" className="skip">
          {sharedMessages.nav.skip}
        </a>
      </div>
      {hasRail && <Rail waiting={waiting} openPalette={() => overlay.open('palette')} />}
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
      <TabBar waiting={waiting} openMore={() => overlay.open('more')} />
      {overlay.shown}
    </div>
  );
}

function useTitle(waiting: number): void {
  const page = useStore(pageTitle);
  useEffect(() => {
    document.title = sharedMessages.title(page || sharedMessages.product, waiting);
    const badge = navigator as Navigator & { setAppBadge?: (count: number) => Promise<void> };
    void badge.setAppBadge?.(waiting).catch(() => {});
  }, [page, waiting]);
}
