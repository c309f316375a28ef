import type { AccessToken, Invitation } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { get } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';

const MAIL_POLL_MS = 5000;

export const invitationsQuery = (workspaceId: number) =>
  queryOptions({
    queryKey: queryKeys.invitations.of(workspaceId),
    queryFn: ({ signal }) => get<Invitation[]>(`/workspaces/${workspaceId}/invitations`, undefined, signal),
    // No live event reports the delivery of a mail.
    refetchInterval: ({ state }) => (state.data?.some(({ mail }) => mail?.state === 'pending') ? MAIL_POLL_MS : false),
  });

export const tokensQuery = queryOptions({
  queryKey: queryKeys.tokens,
  queryFn: ({ signal }) => get<AccessToken[]>('/auth/tokens', undefined, signal),
});
