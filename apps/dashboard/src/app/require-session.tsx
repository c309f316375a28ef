import { useEffect, useState, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { ErrorCard } from '../components/notices.js';
import { PageSkeleton } from '../components/skeletons.js';
import { messages } from '../lib/messages.js';
import { startSession, useSession } from '../lib/session.js';

/** Restores the session once, before the first page. A failed request does not mean that there is no session. */
export function SessionStart({ children }: { children: ReactNode }) {
  const session = useSession();
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    startSession().catch(setError);
  }, []);
  const again = () => {
    setError(null);
    startSession().catch(setError);
  };
  if (error !== null) return <ErrorCard error={error} title={messages.errors.starting} retry={again} />;
  return session === 'starting' ? <PageSkeleton /> : children;
}

/** Shows its children to logged-in users. Others log in first and return to the same URL. */
export function RequireSession({ children }: { children: ReactNode }) {
  const session = useSession();
  const { pathname, search, hash } = useLocation();
  if (session === 'active') return children;
  const next =
    pathname === '/' || pathname === '/approvals' ? '' : `?next=${encodeURIComponent(pathname + search + hash)}`;
  return <Navigate to={`/login${next}`} replace />;
}
