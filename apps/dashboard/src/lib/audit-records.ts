import type { AuditPage, AuditRecord } from '#contracts';
import { PAGE_LIMIT_MAX } from '#contracts/limits';
import { queryOptions } from '@tanstack/react-query';
import { get } from './http.js';

/** A record is found by the moment in its id (a UUID of version 7): milliseconds in the first 48 bits. */
export function momentOf(recordId: string): number | null {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(recordId);
  return match ? parseInt(match[1]! + match[2]!, 16) : null;
}

/** One record by its id: those of the same millisecond are few. null: it is not there, or not yours. */
export const recordQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit', 'one', id] as const,
    queryFn: async ({ signal }): Promise<AuditRecord | null> => {
      const at = momentOf(id);
      if (at === null) return null;
      const range = { from: new Date(at).toISOString(), to: new Date(at + 1).toISOString() };
      const { items } = await get<AuditPage>('/audit', { ...range, limit: PAGE_LIMIT_MAX }, signal);
      return items.find((item) => item.id === id) ?? null;
    },
  });
