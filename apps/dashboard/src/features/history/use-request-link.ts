import type { AuditRecord } from '#contracts';
import { useLocation } from 'react-router';

/** The page of a held request. It keeps the view of the history for the way back. Null: nothing was held. */
export function useRequestLink({ actionId }: Pick<AuditRecord, 'actionId'>): string | null {
  const { search } = useLocation();
  return actionId === null ? null : `/history/requests/${actionId}${search}`;
}
