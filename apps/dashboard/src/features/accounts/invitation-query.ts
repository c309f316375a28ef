import type { OpenedInvitation } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '../../lib/query-keys.js';
import { send } from '../../lib/transport.js';

/** Who invites to what. It needs no account. The cache forgets the token with the page. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: queryKeys.invitation(token),
    queryFn: async ({ signal }): Promise<OpenedInvitation> =>
      (await send<OpenedInvitation>({ method: 'POST', path: '/invitations/open', body: { token }, signal })).data,
    retry: false,
    // Once it was read, it is not read again: the person may have used it.
    enabled: (query) => query.state.data === undefined,
    staleTime: Infinity,
    gcTime: 0,
  });
