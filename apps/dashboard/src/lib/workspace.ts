import { useQuery } from '@tanstack/react-query';
import type { Role, WorkspaceSummary } from '#contracts';
import { isAtLeast } from '#contracts/states';
import { membersQuery, workspacesQuery } from './queries.js';
import { workspaceId } from './workspace-choice.js';

/** The workspace that this tab shows. undefined: not known yet. */
export function useWorkspace(): WorkspaceSummary | undefined {
  return useQuery(workspacesQuery).data?.find(({ id }) => id === workspaceId());
}

/** Whether the person is a member of no workspace. False until it is known. */
export const useHasNoWorkspace = (): boolean => useQuery(workspacesQuery).data?.length === 0;

/** The person's role in it. null: not known yet. */
export const useRole = (): Role | null => useWorkspace()?.role ?? null;

/**
 * Whether the person may do what needs this role. False until the role is known. The server checks each request anyway.
 */
export function useMay(least: Role): boolean {
  const role = useRole();
  return role !== null && isAtLeast(role, least);
}

/** Approvers decide. Of services and agents, they only need the names. */
export const READERS: readonly Role[] = ['auditor', 'admin', 'owner'];

/** Whether the pages of services and agents are for this person. */
export function useReads(): boolean {
  const role = useRole();
  return role !== null && READERS.includes(role);
}

/** The members of the workspace. */
export function useMembers() {
  const id = useWorkspace()?.id ?? 0;
  return useQuery({ ...membersQuery(id), enabled: id > 0 });
}
