import type { QueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { workspacesQuery } from '../../lib/queries.js';
import { spelledOut } from '../../lib/text-safety.js';
import { showNotice } from '../../lib/toasts.js';
import { workspaceId } from '../../lib/workspace-choice.js';
import { summaryQuery } from './api.js';
import { approvalsMessages } from './approvals-messages.js';

/** Tells an owner that too few people may approve an action. Only owners can change that. */
export default async function tellOwner(queryClient: QueryClient, actionId: string): Promise<void> {
  const workspaces = await queryClient.fetchQuery(workspacesQuery);
  if (workspaces.find(({ id }) => id === workspaceId())?.role !== 'owner') return;
  const { headline, approvals, status } = await queryClient.fetchQuery(summaryQuery(actionId));
  if (status !== 'PENDING' || !approvals.tooFew) return;
  showNotice(
    approvalsMessages.missing(spelledOut(headline)),
    <div>
      <Link to={`/approvals/${actionId}`}>{approvalsMessages.seeWho}</Link>
    </div>,
  );
}
