import type { AuditRecord } from '#contracts';
import { useLocation } from 'react-router';

/** The page of the record's held request. It keeps the view of the history for the way back. Null: nothing was held. */
export function useRequestLink({ actionId }: AuditRecord): string | null {
  const { search } = useLocation();
  return actionId === null ? null : `/history/requests/${actionId}${search}`;
}
