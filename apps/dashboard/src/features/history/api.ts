import type { Actor, AuditFilter, AuditPage, AuditStats } from '#contracts';
import { PAGE_LIMIT_MAX } from '#contracts/limits';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { get, request } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { saveFile } from '../../lib/save-file.js';
import { parseRecordTime } from '../../lib/record-moment.js';

const PAGE = 50;
const readersTimeZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export const recordsQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: queryKeys.audit.list(filter),
    queryFn: ({ pageParam, signal }) =>
      get<AuditPage>('/audit', { ...filter, cursor: pageParam ?? undefined, limit: PAGE }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    // Records do not change, and rows must not move. Newer records are only counted until the user shows them.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

export const statsQuery = (filter: AuditFilter) =>
  queryOptions({
    queryKey: queryKeys.audit.stats(filter),
    queryFn: ({ signal }) => get<AuditStats>('/audit/stats', { ...filter, timeZone: readersTimeZone() }, signal),
    staleTime: 60_000,
  });

/** The people who appear in the audit records. */
export const peopleQuery = queryOptions({
  queryKey: queryKeys.audit.people,
  queryFn: ({ signal }) => get<Actor[]>('/audit/people', undefined, signal),
  staleTime: 60_000,
});

/** Counts the records that are newer than those on screen. A full page means "at least this many". */
export async function countNewer(filter: AuditFilter, newestId: string | undefined): Promise<number> {
  const at = newestId ? parseRecordTime(newestId) : null;
  const from = at === null ? filter.from : new Date(at).toISOString();
  const { items } = await get<AuditPage>('/audit', { ...filter, from, limit: PAGE_LIMIT_MAX });
  return items.filter(({ id }) => newestId === undefined || id > newestId).length;
}

/** Fetches the export with the access token, then gives it to the browser as a download. */
export async function downloadExport(filter: AuditFilter, format: 'csv' | 'ndjson'): Promise<void> {
  const response = await request<Blob>({
    path: '/audit/export',
    params: { ...filter, format },
    as: 'blob',
    timeoutMs: 0,
  });
  saveFile(response, `agent-gateway-audit.${format}`);
}

/** Gives the request of a record to the browser as a case for `agent-gateway test`. */
export async function downloadCase(recordId: string): Promise<void> {
  saveFile(await request<Blob>({ path: `/audit/${recordId}/case`, as: 'blob' }), 'case.yaml');
}
