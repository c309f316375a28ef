import type { AuditRecord } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { ApiFailure, get } from './http.js';
import { queryKeys } from './query-keys.js';

/** One record by its id. null if it does not exist or belongs to another account. */
export const recordQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.audit.one(id),
    queryFn: async ({ signal }): Promise<AuditRecord | null> => {
      try {
        return await get<AuditRecord>(`/audit/${encodeURIComponent(id)}`, undefined, signal);
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 404) return null;
        throw error;
      }
    },
  });
