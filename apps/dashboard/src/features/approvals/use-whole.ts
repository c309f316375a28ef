import type { Action } from '#contracts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { wholeQuery } from './api.js';

/** Whether only the beginning of a body is loaded. */
const isCut = ({ bodyTruncated, result }: Pick<Action, 'bodyTruncated' | 'result'>): boolean =>
  bodyTruncated === true || result?.bodyTruncated === true;

export interface Rest {
  isLoading: boolean;
  error: Error | null;
  load: () => void;
}

/**
 * Loads the rest of long bodies when somebody asks for it.
 * @param atOnce without being asked
 */
export function useWhole(action: Action | undefined, atOnce = false): { action: Action | undefined; rest: Rest } {
  const [isWanted, setWanted] = useState(atOnce);
  const { data, error, isFetching, refetch } = useQuery({
    ...wholeQuery(action ?? { action_id: '', result: null }),
    enabled: isWanted && action !== undefined && isCut(action),
  });
  const shown = useMemo(
    () => (isWanted && action && data ? withBodies(action, data) : action),
    [isWanted, action, data],
  );
  const load = () => (isWanted && error ? void refetch() : setWanted(true));
  return { action: shown, rest: { isLoading: isFetching, error, load } };
}

function withBodies(action: Action, { body, bodyEncoding, parts, result }: Action): Action {
  const { bodyTruncated, ...request } = action.bodyTruncated ? { ...action, body, bodyEncoding, parts } : action;
  void bodyTruncated;
  return { ...request, result: action.result?.bodyTruncated ? result : action.result };
}
