import { Suspense, useEffect, useInsertionEffect, useState, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { ErrorCard } from '../components/notices.js';
import { PageSkeleton } from '../components/skeletons.js';
import { sharedMessages } from '../lib/messages.js';
import { isPageKept, startSession, useSession } from '../lib/session.js';

const RETRY_MS = 5000;

/**
 * Restores the session once, before the first page. A failed request does not mean that there is no session: the
 * gateway may be starting again. So it is tried until it gets an answer.
 */
export function SessionStart({ children }: { children: ReactNode }) {
  const session = useSession();
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    startSession().catch(setError);
  }, []);
  const again = () => void startSession().catch(setError);
  useEffect(() => {
    if (error === null || session !== 'starting') return;
    const timer = setTimeout(again, RETRY_MS);
    return () => clearTimeout(timer);
  }, [error, session]);
  const retry = () => {
    setError(null);
    again();
  };
  if (session !== 'starting') return children;
  return error === null ? (
    <PageSkeleton />
  ) : (
    <ErrorCard error={error} title={sharedMessages.errors.starting} retry={retry} />
  );
}

/**
 * Shows its children to logged-in users. Others log in first and return to the same URL. When the session ends while the
 * page has unsaved input, the page stays as it is, hidden behind the login.
 */
export function RequireSession({ login, children }: { login: ReactNode; children: ReactNode }) {
  const isActive = useSession() === 'active';
  const { pathname, search, hash } = useLocation();
  const isKept = !isActive && isPageKept();
  // Runs before the login takes the focus.
  useInsertionEffect(() => {
    if (!isKept) return;
    const field = document.activeElement;
    document.documentElement.toggleAttribute('data-away', true);
    return () => {
      document.documentElement.toggleAttribute('data-away', false);
      // The person continues where they typed.
      if (field instanceof HTMLElement) field.focus();
    };
  }, [isKept]);
  if (isActive || isKept) {
    return (
      <>
        {children}
        {/* No shortcut of the hidden page may work. */}
        {isKept && (
          <div data-opening>
            <Suspense>{login}</Suspense>
          </div>
        )}
      </>
    );
  }
  const isHome = (pathname === '/' || pathname === '/approvals') && !hasFilters(search);
  const next = isHome ? '' : `?next=${encodeURIComponent(pathname + search + hash)}`;
  return <Navigate to={`/login${next}`} replace />;
}

/** The workspace of a link is read when the page loads. */
const hasFilters = (search: string): boolean =>
  [...new URLSearchParams(search).keys()].some((key) => key !== 'workspace');
