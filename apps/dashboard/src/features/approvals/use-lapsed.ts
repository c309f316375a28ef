import type { Action } from '#contracts';
import { useEffect } from 'react';
import { useNow } from '../../lib/clock.js';

function hasLapsed({ status, executing, expires_at, approvalExpiresAt }: Action, nowMs: number): boolean {
  const end = status === 'PENDING' ? expires_at : status === 'APPROVED' && !executing ? approvalExpiresAt : null;
  return end !== null && Date.parse(end) <= nowMs;
}

/**
 * The action as it is at this moment. No event tells that its time is over, so the countdown, the outcome and the buttons
 * change by the clock, together.
 * @param refetch is called when its time is over
 */
export function useLapsed(action: Action | undefined, refetch: () => Promise<unknown>): Action | undefined {
  const lapsed = useNow((now) => action !== undefined && hasLapsed(action, now));
  useEffect(() => {
    if (lapsed) void refetch();
  }, [lapsed, refetch]);
  return action && lapsed ? { ...action, status: 'EXPIRED' } : action;
}
