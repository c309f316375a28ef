import type {
  Agent,
  CallbackDelivery,
  CallbackDeliveryPage,
  CallbackResponse,
  CreateAgentRequest,
  CreateAgentResponse,
  MessageResponse,
  PutCallbackRequest,
  ReplaceScopeResponse,
  RotatedCallbackSecret,
  RotateKeyResponse,
  SavedCallback,
  UpdateAgentRequest,
} from '#contracts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { del, get, post, put } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';

export const agentQuery = (id: number) =>
  queryOptions({
    queryKey: queryKeys.agents.about(id),
    queryFn: ({ signal }) => get<Agent>(`/agents/${id}`, undefined, signal),
  });

export const createAgent = (request: CreateAgentRequest) => post<CreateAgentResponse>('/agents', request);
export const updateAgent = (id: number, change: UpdateAgentRequest) => put<Agent>(`/agents/${id}`, change);
export const replaceScope = (id: number, serviceIds: number[]) =>
  put<ReplaceScopeResponse>(`/agents/${id}/services`, { serviceIds });
export const rotateKey = (id: number, graceMinutes: number) =>
  post<RotateKeyResponse>(`/agents/${id}/rotate-key`, { graceMinutes });
export const endPreviousKeys = (id: number) => del<Agent>(`/agents/${id}/previous-keys`);

export const callbackQuery = (agentId: number) =>
  queryOptions({
    queryKey: queryKeys.callbacks.of(agentId),
    queryFn: ({ signal }) => get<CallbackResponse>(`/agents/${agentId}/callback`, undefined, signal),
  });

export const deliveriesQuery = (agentId: number) =>
  infiniteQueryOptions({
    queryKey: queryKeys.callbacks.deliveries(agentId),
    queryFn: ({ pageParam, signal }) =>
      get<CallbackDeliveryPage>(
        `/agents/${agentId}/callback/deliveries`,
        { cursor: pageParam ?? undefined, limit: 20 },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
  });

export const saveCallback = (agentId: number, request: PutCallbackRequest) =>
  put<SavedCallback>(`/agents/${agentId}/callback`, request);
export const removeCallback = (agentId: number) => del<MessageResponse>(`/agents/${agentId}/callback`);
export const rotateSecret = (agentId: number) =>
  post<RotatedCallbackSecret>(`/agents/${agentId}/callback/rotate-secret`);
export const sendTest = (agentId: number) => post<CallbackDelivery>(`/agents/${agentId}/callback/test`);
export const redeliver = (agentId: number, id: string) =>
  post<CallbackDelivery>(`/agents/${agentId}/callback/deliveries/${id}/redeliver`);
