import type { Administrator, InstallationWorkspace, InstallationWorkspacePage, ModelTest } from '#contracts';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, post, put } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';

export const administratorsQuery = queryOptions({
  queryKey: queryKeys.administrators,
  queryFn: ({ signal }) => get<Administrator[]>('/admin/administrators', undefined, signal),
});

export const testModel = () => post<ModelTest>('/admin/model/test');

/** All workspaces of the installation whose name contains the text. */
export const installationQuery = (text: string) =>
  infiniteQueryOptions({
    queryKey: queryKeys.installation.found(text),
    queryFn: ({ pageParam, signal }) =>
      get<InstallationWorkspacePage>(
        '/admin/workspaces',
        { q: text || undefined, cursor: pageParam ?? undefined, limit: 20 },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    placeholderData: keepPreviousData,
  });

export const allowPrivateTargets = ({ id, privateTargets }: Pick<InstallationWorkspace, 'id' | 'privateTargets'>) =>
  put<InstallationWorkspace>(`/admin/workspaces/${id}`, { privateTargets });
