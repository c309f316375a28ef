import type { AuditStats } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { dayStart, now } from '../../lib/clock.js';
import { get } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';

/** Today's figures, for the empty inbox. */
export const todayQuery = () => {
  const from = dayStart(now());
  return queryOptions({
    queryKey: queryKeys.audit.statsSince(from),
    queryFn: ({ signal }) => get<AuditStats>('/audit/stats', { from: from.toISOString() }, signal),
    staleTime: 60_000,
  });
};
