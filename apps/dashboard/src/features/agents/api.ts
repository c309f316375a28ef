import type {
  Agent,
  CreateAgentRequest,
  CreateAgentResponse,
  MessageResponse,
  ReplaceScopeResponse,
  RotateKeyResponse,
  UpdateAgentRequest,
} from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { del, get, post, put } from '../../lib/http.js';

export const agentQuery = (id: number) =>
  queryOptions({
    queryKey: ['agents', id] as const,
    queryFn: ({ signal }) => get<Agent>(`/agents/${id}`, undefined, signal),
  });

export const createAgent = (request: CreateAgentRequest) => post<CreateAgentResponse>('/agents', request);
export const updateAgent = (id: number, change: UpdateAgentRequest) => put<Agent>(`/agents/${id}`, change);
export const deleteAgent = (id: number) => del<MessageResponse>(`/agents/${id}`);
export const replaceScope = (id: number, serviceIds: number[]) =>
  put<ReplaceScopeResponse>(`/agents/${id}/services`, { serviceIds });
export const rotateKey = (id: number) => post<RotateKeyResponse>(`/agents/${id}/rotate-key`);
