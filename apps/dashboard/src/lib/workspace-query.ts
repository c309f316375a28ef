import type { Workspace } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { get } from './http.js';
import { queryKeys } from './query-keys.js';

/** A workspace with its settings. */
export const workspaceQuery = (id: number) =>
  queryOptions({
    queryKey: queryKeys.workspaces.one(id),
    queryFn: ({ signal }) => get<Workspace>(`/workspaces/${id}`, undefined, signal),
  });
