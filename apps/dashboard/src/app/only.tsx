import type { Role } from '#contracts';
import { lazy } from 'react';
import { Outlet } from 'react-router';
import { PageSkeleton } from '../components/skeletons.js';
import { useRole } from '../lib/workspace.js';

const NotAllowed = lazy(() => import('./not-allowed.js'));

/** Shows its pages only to some roles. Other people see whom to ask. */
export function Only({ roles }: { roles: readonly Role[] }) {
  const role = useRole();
  if (role === null) return <PageSkeleton />;
  return roles.includes(role) ? <Outlet /> : <NotAllowed />;
}
