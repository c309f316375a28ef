import type {
  Channel,
  ChannelDeliveryPage,
  ChannelTestResult,
  CreateChannelRequest,
  CreatedChannel,
  MessageResponse,
  RotatedChannelSecret,
  SlackLink,
  SlackLinkRequest,
  UpdateChannelRequest,
} from '#contracts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { del, get, post, put } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';

export const deliveriesQuery = (channelId: number) =>
  infiniteQueryOptions({
    queryKey: queryKeys.channels.deliveries(channelId),
    queryFn: ({ pageParam, signal }) =>
      get<ChannelDeliveryPage>(
        `/channels/${channelId}/deliveries`,
        { cursor: pageParam ?? undefined, limit: 20 },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
  });

export const slackLinksQuery = queryOptions({
  queryKey: queryKeys.slackLinks,
  queryFn: ({ signal }) => get<SlackLink[]>('/slack-links', undefined, signal),
});

export const viewSlackLink = (token: string) => post<SlackLinkRequest>('/slack-links/view', { token });
/** If the session is not confirmed, the person is asked to confirm, and the call is sent again. */
export const linkSlackUser = (token: string) => post<SlackLink>('/slack-links', { token });
export const endSlackLink = (id: number) => del<MessageResponse>(`/slack-links/${id}`);
export const createChannel = (request: CreateChannelRequest) => post<CreatedChannel>('/channels', request);
export const updateChannel = (id: number, change: UpdateChannelRequest) => put<Channel>(`/channels/${id}`, change);
export const deleteChannel = (id: number) => del<MessageResponse>(`/channels/${id}`);
export const rotateSecret = (id: number) => post<RotatedChannelSecret>(`/channels/${id}/rotate-secret`);
export const testChannel = (id: number) => post<ChannelTestResult>(`/channels/${id}/test`);
