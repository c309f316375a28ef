import type { AccessToken, Invitation, Workspace } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { get } from '../../lib/http.js';

const MAIL_POLL_MS = 5000;

export const workspaceQuery = (id: number) =>
  queryOptions({
    queryKey: ['workspaces', id],
    queryFn: ({ signal }) => get<Workspace>(`/workspaces/${id}`, undefined, signal),
  });

export const invitationsQuery = (workspaceId: number) =>
  queryOptions({
    queryKey: ['invitations', workspaceId],
    queryFn: ({ signal }) => get<Invitation[]>(`/workspaces/${workspaceId}/invitations`, undefined, signal),
    // No live event reports the delivery of a mail.
    refetchInterval: ({ state }) => (state.data?.some(({ mail }) => mail?.state === 'pending') ? MAIL_POLL_MS : false),
  });

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => get<AccessToken[]>('/auth/tokens', undefined, signal),
});
