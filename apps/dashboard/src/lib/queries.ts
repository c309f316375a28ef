import type {
  ActionCounts,
  Agent,
  AgentUsage,
  AuditPage,
  AuthMethods,
  Channel,
  GatewayStatus,
  Member,
  MeResponse,
  Service,
  ServiceUsage,
  SetupState,
  User,
  WorkspaceSummary,
} from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { failure, get } from './http.js';
import { queryKeys } from './query-keys.js';
import { send } from './transport.js';
import { pinWorkspace } from './workspace-choice.js';

/** The person who is logged in. */
type Me = User & Omit<MeResponse, 'user'>;

/**
 * Queries that several features share. A feature's own queries are in its `api.ts`. Live events invalidate by the first
 * word of the key.
 */
export const meQuery = queryOptions({
  queryKey: queryKeys.me,
  queryFn: async ({ signal }): Promise<Me> => {
    const { user, ...more } = await get<MeResponse>('/auth/me', undefined, signal);
    return { ...user, ...more };
  },
  staleTime: 5 * 60_000,
});

/** The person's workspaces with their roles, the oldest first. */
export const workspacesQuery = queryOptions({
  queryKey: queryKeys.workspaces.all,
  queryFn: async ({ signal }) => {
    const workspaces = await get<WorkspaceSummary[]>('/workspaces', undefined, signal);
    pinWorkspace(workspaces[0]?.id);
    return workspaces;
  },
  staleTime: 60_000,
});

export const membersQuery = (workspaceId: number) =>
  queryOptions({
    queryKey: queryKeys.members.of(workspaceId),
    queryFn: ({ signal }) => get<Member[]>(`/workspaces/${workspaceId}/members`, undefined, signal),
    staleTime: 60_000,
  });

/** Runs before login, so it does not use the client that adds tokens. */
export const setupStateQuery = queryOptions({
  queryKey: queryKeys.setup,
  queryFn: async ({ signal }): Promise<SetupState> => (await send<SetupState>({ path: '/auth/setup', signal })).data,
  staleTime: 30_000,
});

/** Runs before login, like the one above. */
export const authMethodsQuery = queryOptions({
  queryKey: queryKeys.authMethods,
  queryFn: async ({ signal }): Promise<AuthMethods> =>
    (await send<AuthMethods>({ path: '/auth/methods', signal })).data,
  staleTime: Infinity,
});

export const actionCountsQuery = queryOptions({
  queryKey: queryKeys.approvals.counts,
  queryFn: ({ signal }) => get<ActionCounts>('/approvals/counts', undefined, signal),
});

export const servicesQuery = queryOptions({
  queryKey: queryKeys.services.list,
  queryFn: ({ signal }) => get<Service[]>('/services', undefined, signal),
  staleTime: 60_000,
});

export const agentsQuery = queryOptions({
  queryKey: queryKeys.agents.list,
  queryFn: ({ signal }) => get<Agent[]>('/agents', undefined, signal),
  staleTime: 60_000,
});

export const channelsQuery = queryOptions({
  queryKey: queryKeys.channels.list,
  queryFn: ({ signal }) => get<Channel[]>('/channels', undefined, signal),
});

export const serviceUsageQuery = queryOptions({
  queryKey: queryKeys.audit.usageOfServices,
  queryFn: ({ signal }) => get<ServiceUsage[]>('/audit/usage/services', undefined, signal),
  staleTime: 60_000,
});

/** For at most `USAGE_AGENTS_MAX` agents. */
export const agentUsageQuery = (agentIds: number[]) =>
  queryOptions({
    queryKey: queryKeys.audit.usageOfAgents(agentIds),
    queryFn: ({ signal }) => get<AgentUsage[]>('/audit/usage/agents', { agentIds: agentIds.join(',') }, signal),
    staleTime: 60_000,
  });

/** The newest request of an agent, for "Waiting for the first request". */
export const firstRequestQuery = (agentId: number) =>
  queryOptions({
    queryKey: queryKeys.audit.first(agentId),
    queryFn: ({ signal }) => get<AuditPage>('/audit', { agentId, kind: 'request', limit: 1 }, signal),
  });

/** Null: the person does not administer the installation, so they may not see it. */
export const statusQuery = queryOptions({
  queryKey: queryKeys.status,
  queryFn: async ({ client, signal }): Promise<GatewayStatus | null> => {
    if (!(await client.ensureQueryData(meQuery)).administersInstallation) return null;
    try {
      return await get<GatewayStatus>('/admin/status', undefined, signal);
    } catch (error) {
      if (failure(error).status === 403) return null;
      throw error;
    }
  },
});

/** Refetches a query while the page is open, unless the person may not see its data. */
export const every = (ms: number) => (query: { state: { data?: unknown } }) => query.state.data !== null && ms;

/** Whether the latest call to the risk model failed. */
export const modelFails = ({ model }: GatewayStatus): boolean =>
  model.lastFailureAt !== null && (model.lastSuccessAt === null || model.lastFailureAt > model.lastSuccessAt);
