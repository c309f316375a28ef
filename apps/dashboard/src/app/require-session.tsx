import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useSession } from '../lib/session.js';

/** Only for those logged in; others log in first and come back to the same URL. */
export function RequireSession({ children }: { children: ReactNode }) {
  const session = useSession();
  const { pathname, search, hash } = useLocation();
  if (session === 'active') return children;
  const next =
    pathname === '/' || pathname === '/approvals' ? '' : `?next=${encodeURIComponent(pathname + search + hash)}`;
  return <Navigate to={`/login${next}`} replace />;
}
