import type { QueryClient } from '@tanstack/react-query';
import { onLive } from '../lib/live.js';
import { dismissOutages } from '../lib/toasts.js';

/**
 * What a live event makes stale. Events of actions do not refetch the approvals list: it takes newcomers and leavers one by one, so
 * that nothing moves under the finger (features/approvals/inbox.ts).
 */
export function followLive(queryClient: QueryClient): () => void {
  let countsDue: ReturnType<typeof setTimeout> | undefined;
  const refreshCounts = () => {
    countsDue ??= setTimeout(() => {
      countsDue = undefined;
      void queryClient.invalidateQueries({ queryKey: ['approvals', 'counts'] });
    }, 250);
  };
  let listDue: ReturnType<typeof setTimeout> | undefined;
  /** Whether anything can still come of the actions on screen. Agents and services may change many times a second. */
  const refreshApprovals = () => {
    void queryClient.invalidateQueries({ queryKey: ['approvals', 'one'] });
    listDue ??= setTimeout(() => {
      listDue = undefined;
      void queryClient.invalidateQueries({ queryKey: ['approvals', 'list'] });
    }, 1000);
  };
  return onLive((signal) => {
    if (signal.type === 'opened') {
      dismissOutages();
      void queryClient.invalidateQueries();
      return;
    }
    const { event } = signal;
    switch (event.type) {
      case 'action.created':
        refreshCounts();
        break;
      case 'action.updated':
        refreshCounts();
        void queryClient.invalidateQueries({ queryKey: ['approvals', 'one', event.id] });
        break;
      case 'agent.updated':
        void queryClient.invalidateQueries({ queryKey: ['agents'] });
        // Whether its callbacks may go where they go is a matter of the agent.
        void queryClient.invalidateQueries({ queryKey: ['callbacks', event.id] });
        refreshApprovals();
        break;
      case 'session.revoked':
        void queryClient.invalidateQueries({ queryKey: ['sessions'] });
        break;
      case 'callback.updated':
        void queryClient.invalidateQueries({ queryKey: ['callbacks', event.id] });
        break;
      case 'service.updated':
        void queryClient.invalidateQueries({ queryKey: ['services'] });
        refreshApprovals();
        break;
    }
  });
}
