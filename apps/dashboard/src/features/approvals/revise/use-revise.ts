import type { Action, ReviseActionRequest } from '#contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { failure, post } from '../../../lib/http.js';
import { spelledOut } from '../../../lib/text-safety.js';
import { showApproved } from '../approval-toast.js';
import { actionQuery } from '../api.js';
import { tellDecided } from '../tell-decided.js';
import { keep } from './draft.js';
import { messages } from './messages.js';

/** Sends the changed request. The draft is kept until the gateway has it. */
export function useRevise(action: Action, onDone: (revision: Action) => void) {
  const queryClient = useQueryClient();
  const { queryKey } = actionQuery(action.action_id);
  return useMutation({
    mutationFn: (change: ReviseActionRequest) =>
      post<Action>(`/approvals/${encodeURIComponent(action.action_id)}/revise`, change),
    onSuccess: (revision) => {
      keep(action, null);
      queryClient.setQueryData(actionQuery(revision.action_id).queryKey, revision);
      void queryClient.invalidateQueries({ queryKey });
      const headline = spelledOut(revision.headline);
      const { needed, given } = revision.approvals;
      if (revision.status === 'PENDING') tellDecided(messages.given(headline, needed - given.length));
      else showApproved(messages.approved(headline), revision, null);
      onDone(revision);
    },
    onError: (error) => {
      // Somebody may have decided the action, or the base URL of the service may have changed.
      if (failure(error).status === 409) void queryClient.invalidateQueries({ queryKey });
    },
  });
}
