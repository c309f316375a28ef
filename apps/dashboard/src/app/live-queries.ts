import type { QueryClient } from '@tanstack/react-query';
import { onLive } from '../lib/live.js';
import { queryKeys } from '../lib/query-keys.js';
import { dismissOutages } from '../lib/toasts.js';

/**
 * Refetches the queries that a live event makes stale. Action events do not refetch the approvals list. The list adds
 * and removes single rows instead, so that nothing moves under the finger (features/approvals/inbox.ts).
 */
export function followLive(queryClient: QueryClient): () => void {
  let countsDue: ReturnType<typeof setTimeout> | undefined;
  const refreshCounts = () => {
    countsDue ??= setTimeout(() => {
      countsDue = undefined;
      void queryClient.invalidateQueries({ queryKey: queryKeys.approvals.counts });
    }, 250);
  };
  let listDue: ReturnType<typeof setTimeout> | undefined;
  /**
   * Whether the actions on screen can still run depends on their agents and services. These can change many times per
   * second.
   */
  const refreshApprovals = () => {
    void queryClient.invalidateQueries({ queryKey: queryKeys.approvals.each });
    listDue ??= setTimeout(() => {
      listDue = undefined;
      void queryClient.invalidateQueries({ queryKey: queryKeys.approvals.lists });
    }, 1000);
  };
  return onLive((signal) => {
    if (signal.type === 'opened') {
      dismissOutages();
      void queryClient.invalidateQueries();
      return;
    }
    if (signal.type === 'refused') {
      void queryClient.invalidateQueries({ queryKey: queryKeys.workspaces.all });
      return;
    }
    const { event } = signal;
    switch (event.type) {
      case 'action.created':
        refreshCounts();
        break;
      case 'action.updated':
        refreshCounts();
        void queryClient.invalidateQueries({ queryKey: queryKeys.approvals.one(event.id) });
        break;
      case 'agent.updated':
        void queryClient.invalidateQueries({ queryKey: queryKeys.agents.all });
        // The agent has the list of allowed callback hosts.
        void queryClient.invalidateQueries({ queryKey: queryKeys.callbacks.of(event.id) });
        refreshApprovals();
        break;
      case 'session.revoked':
        void queryClient.invalidateQueries({ queryKey: queryKeys.sessions });
        break;
      case 'callback.updated':
        void queryClient.invalidateQueries({ queryKey: queryKeys.callbacks.of(event.id) });
        break;
      case 'channel.updated':
        void queryClient.invalidateQueries({ queryKey: queryKeys.channels.all });
        break;
      case 'service.updated':
        void queryClient.invalidateQueries({ queryKey: queryKeys.services.all });
        refreshApprovals();
        break;
      case 'workspace.updated':
        void queryClient.invalidateQueries({ queryKey: queryKeys.workspaces.all });
        // A setting may have changed who may approve what.
        refreshCounts();
        refreshApprovals();
        break;
      case 'approvers.missing':
        // The notice about missing approvers also depends on the action.
        void import('../features/approvals/approvers-missing.js')
          .then(({ default: tellOwner }) => tellOwner(queryClient, String(event.id)))
          .catch(() => {});
        break;
      case 'member.updated':
      case 'member.removed':
        void queryClient.invalidateQueries({ queryKey: queryKeys.members.all });
        void queryClient.invalidateQueries({ queryKey: queryKeys.invitations.all });
        // The role of this person may have changed, and who may approve what.
        refreshCounts();
        refreshApprovals();
        void queryClient.invalidateQueries({ queryKey: queryKeys.workspaces.all });
        break;
      case 'token.revoked':
        void queryClient.invalidateQueries({ queryKey: queryKeys.tokens });
        break;
    }
  });
}
