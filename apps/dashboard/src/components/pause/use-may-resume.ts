import type { WorkspaceSummary } from '#contracts';
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../../lib/queries.js';
import { useMay } from '../../lib/workspace.js';

/** Administrators may end each pause, and approvers their own. */
export function useMayResume(workspace: WorkspaceSummary | undefined): boolean {
  const { data: me } = useQuery(meQuery);
  const administers = useMay('admin');
  const decides = useMay('approver');
  const isOwn = me !== undefined && workspace?.pause?.by.id === me.id;
  return administers || (decides && isOwn);
}
