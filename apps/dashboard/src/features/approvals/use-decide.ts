import type { Action, ActionSummary, RiskRule } from '#contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readBody } from '../../lib/body.js';
import { failure } from '../../lib/http.js';
import { meQuery } from '../../lib/queries.js';
import type { SeenParts } from '../../lib/seen-parts.js';
import { spelledOut } from '../../lib/text-safety.js';
import { showFailure } from '../../lib/toasts.js';
import { actionQuery, approveAction, denyAction, noteState, readSummary } from './api.js';
import { preloadApproved, showApproved } from './approval-toast.js';
import { messages } from './messages.js';
import { recovered } from './recovered.js';
import { tellDecided } from './tell-decided.js';

export interface Decision {
  decision: 'approve' | 'deny';
  note?: string;
  /** Allows similar requests. Null: the rule could not be created, and a toast says so. */
  allow?: () => Promise<RiskRule | null>;
}

/**
 * Decides one action and shows the result from the server. If two people decide, the later one sees the earlier
 * decision immediately.
 */
export function useDecide(action: Action, seen: SeenParts, onDecided: (actionIds: string[]) => void) {
  const queryClient = useQueryClient();
  const query = actionQuery(action.action_id);
  const headline = spelledOut(action.headline);
  return useMutation({
    mutationFn: async ({ decision, note, allow }: Decision) => {
      if (decision === 'approve') preloadApproved();
      const shown = decision === 'approve' ? await reportOf(action, seen) : undefined;
      const sent = decision === 'approve' ? approveAction(action, note, shown) : denyAction(action, note);
      const me = queryClient.getQueryData(meQuery.queryKey)?.id;
      const decided = await sent.catch((error: unknown) => recovered(error, action, decision, me));
      // Create the rule after the approval. If someone denied the action first, there must be no rule.
      return { decided, rule: allow ? await allow() : null };
    },
    onSuccess: ({ decided, rule }, { decision }) => {
      noteState(queryClient, decided);
      if (decision === 'deny') tellDecided(messages.decide.denied(headline));
      else if (decided.status === 'PENDING') {
        const { needed, given } = decided.approvals;
        showApproved(messages.decide.given(headline, needed - given.length), decided, rule);
      } else showApproved(messages.decide.approved(headline), decided, rule);
      onDecided([action.action_id]);
    },
    onError: async (error) => {
      const { status } = failure(error);
      if (status !== 409 && status !== 404) {
        showFailure(error);
        void queryClient.invalidateQueries({ queryKey: query.queryKey });
        return;
      }
      // A query that is under way may have read the state before.
      const winner = await readSummary(action.action_id).catch(() => null);
      if (winner) noteState(queryClient, winner);
      // If the action is still waiting, no one else decided it. Then the gateway's error says why it refused.
      if (winner && winner.status !== 'PENDING') showFailure(new Error(raceText(winner)));
      else showFailure(winner && winner.digest !== action.digest ? new Error(messages.decide.changed) : error);
    },
  });
}

/** Loaded with the first approval. If it can't be loaded, the record says nothing. */
async function reportOf({ body, bodyEncoding }: Action, seen: SeenParts): Promise<string[] | undefined> {
  if (seen.request.parts.length === 0) return undefined;
  try {
    const { seenReport } = await import('../../lib/seen-report.js');
    return seenReport(seen, readBody(body ?? '', bodyEncoding).text ?? '');
  } catch {
    return undefined;
  }
}

export function raceText(winner: ActionSummary): string {
  if (!winner.resolved_by) return messages.decide.racedExpired;
  const status = winner.status === 'DENIED' ? 'denied' : 'approved';
  return messages.decide.raced(status, winner.resolved_by.name);
}
