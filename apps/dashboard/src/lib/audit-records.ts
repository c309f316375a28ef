import type { AuditRecord } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { ApiFailure, get } from './http.js';

/** A record is found by the moment in its id (a UUID of version 7): milliseconds in the first 48 bits. */
export function momentOf(recordId: string): number | null {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(recordId);
  return match ? parseInt(match[1]! + match[2]!, 16) : null;
}

/** One record by its id. null: it is not there, or not yours. */
export const recordQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit', 'one', id] as const,
    queryFn: async ({ signal }): Promise<AuditRecord | null> => {
      try {
        return await get<AuditRecord>(`/audit/${encodeURIComponent(id)}`, undefined, signal);
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 404) return null;
        throw error;
      }
    },
  });
