import type { ActionCounts, WorkspaceSummary } from '#contracts';
import { WORKSPACE_ID_HEADER } from '#contracts/headers';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { request } from '../../lib/http.js';
import { workspacesQuery } from '../../lib/queries.js';
import { queryKeys } from '../../lib/query-keys.js';
import { workspaceId } from '../../lib/workspace-choice.js';

interface Other extends WorkspaceSummary {
  /** The number of actions that wait in the workspace. undefined: not known. */
  waiting: number | undefined;
}

const COUNT_MS = 60_000;
/** Only the numbers of the first workspaces are fetched. */
const COUNTED = 20;

/** The live stream is about one workspace, so the numbers of the others are fetched now and then. */
const waitingQuery = (id: number) =>
  queryOptions({
    queryKey: queryKeys.elsewhere(id),
    queryFn: async ({ signal }) =>
      (
        await request<ActionCounts>({
          path: '/approvals/counts',
          signal,
          headers: { [WORKSPACE_ID_HEADER]: String(id) },
        })
      ).data.waitingForMe,
    staleTime: COUNT_MS / 2,
    refetchInterval: COUNT_MS,
  });

/** The person's other workspaces. */
export function useOthers(): Other[] {
  const { data = [] } = useQuery(workspacesQuery);
  const others = data.filter(({ id }) => id !== workspaceId());
  const counts = useQueries({ queries: others.slice(0, COUNTED).map(({ id }) => waitingQuery(id)) });
  return others.map((other, index) => ({ ...other, waiting: counts[index]?.data }));
}
