import { useQuery } from '@tanstack/react-query';
import { lazy, useEffect, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { workspacesQuery } from '../lib/queries.js';
import { leaveLostWorkspace, workspaceId, workspaceWasLost } from '../lib/workspace-choice.js';
import { useWorkspace } from '../lib/workspace.js';

const loadNote = () => import('../features/workspaces/lost-note.js');
const NoWorkspace = lazy(() => import('../features/workspaces/no-workspace.js'));

/**
 * Shows its children while the person is a member of the workspace. Otherwise it opens the person's oldest one, and
 * says so.
 */
export function KeptWorkspace({ children }: { children: ReactNode }) {
  const { data } = useQuery(workspacesQuery);
  const { pathname } = useLocation();
  const name = useWorkspace()?.name;
  const lost = data !== undefined && data.every(({ id }) => id !== workspaceId()) && workspaceId() !== null;
  useEffect(() => {
    if (lost) leaveLostWorkspace();
  }, [lost]);
  useEffect(() => {
    if (name !== undefined && workspaceWasLost()) void loadNote().then(({ showLost }) => showLost(name));
  }, [name]);
  if (lost) return null;
  // The account has settings too, and the installation has a status.
  return data?.length === 0 && !/^\/(settings(\/(profile|security|preferences))?|status)\/?$/.test(pathname) ? (
    <NoWorkspace />
  ) : (
    children
  );
}
