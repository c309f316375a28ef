import type {
  Agent,
  ReplaceScopeResponse,
  ActionPage,
  CreateDocumentRequest,
  CreateRiskRuleRequest,
  DocumentedOperation,
  DocumentSummary,
  MessageResponse,
  ReplaceCredentialsResponse,
  RiskRule,
  RiskRuleVersion,
  RuleLimitUse,
  RuleMatch,
  RulePreview,
  Service,
  TestServiceResult,
  UpdateRiskRuleRequest,
  UpdateServiceRequest,
} from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { del, get, post, put } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { rememberTest } from './latest-tests.js';

export const serviceQuery = (id: number) =>
  queryOptions({
    queryKey: queryKeys.services.one(id),
    queryFn: ({ signal }) => get<Service>(`/services/${id}`, undefined, signal),
  });

export const documentsQuery = (id: number) =>
  queryOptions({
    queryKey: queryKeys.services.documents(id),
    queryFn: ({ signal }) => get<DocumentSummary[]>(`/services/${id}/documentation`, undefined, signal),
  });

export const operationsQuery = (id: number) =>
  queryOptions({
    queryKey: queryKeys.services.operations(id),
    queryFn: ({ signal }) => get<DocumentedOperation[]>(`/services/${id}/operations`, undefined, signal),
  });

/** The operations with the names of their parameters, fields and tags. */
export const operationFieldsQuery = (id: number) =>
  queryOptions({
    queryKey: queryKeys.services.operationFields(id),
    queryFn: ({ signal }) => get<DocumentedOperation[]>(`/services/${id}/operations`, { include: 'fields' }, signal),
    staleTime: 60_000,
  });

export const ruleMatchesQuery = (id: number) =>
  queryOptions({
    queryKey: queryKeys.services.ruleMatches(id),
    queryFn: ({ signal }) => get<RuleMatch[]>(`/services/${id}/risk-rules/matches`, undefined, signal),
  });

/** Requests raise no event, so the use is asked for again. */
const LIMITS_MS = 15_000;

export const limitsQuery = (id: number) =>
  queryOptions({
    queryKey: queryKeys.services.limits(id),
    queryFn: ({ signal }) => get<RuleLimitUse[]>(`/services/${id}/risk-rules/limits`, undefined, signal),
    refetchInterval: LIMITS_MS,
  });

export const ruleVersionsQuery = (id: number, ruleId: number) =>
  queryOptions({
    queryKey: queryKeys.services.ruleVersions(id, ruleId),
    queryFn: ({ signal }) => get<RiskRuleVersion[]>(`/services/${id}/risk-rules/${ruleId}/versions`, undefined, signal),
  });

export const previewQuery = (id: number, rule: CreateRiskRuleRequest) =>
  queryOptions({
    queryKey: queryKeys.rulePreview(id, rule),
    queryFn: async ({ signal }) => {
      signal.throwIfAborted();
      return post<RulePreview>(`/services/${id}/risk-rules/preview`, rule);
    },
    retry: false,
  });

/** Recent actions, whose bodies show which fields the API has. */
export const bodiesQuery = (id: number) =>
  queryOptions({
    queryKey: queryKeys.approvals.bodies(id),
    queryFn: async ({ signal }) =>
      (await get<ActionPage>('/approvals', { serviceId: id, status: 'ALL', sort: 'newest', limit: 50 }, signal)).items,
    staleTime: 60_000,
  });

export const updateService = (id: number, change: UpdateServiceRequest) => put<Service>(`/services/${id}`, change);
export async function testService(service: Service, path: string): Promise<TestServiceResult> {
  const result = await post<TestServiceResult>(`/services/${service.id}/test`, path ? { path } : {});
  rememberTest(service, result);
  return result;
}
export const testCredentials = (id: number, credentials: Record<string, string>, path: string) =>
  post<TestServiceResult>(`/services/${id}/credentials/test`, path ? { credentials, path } : { credentials });
export const replaceCredentials = (id: number, credentials: Record<string, string>, graceHours: number) =>
  put<ReplaceCredentialsResponse>(`/services/${id}/credentials`, { credentials, graceHours });
export const revertCredentials = (id: number) => post<ReplaceCredentialsResponse>(`/services/${id}/credentials/revert`);
export const confirmCredentials = (id: number, hosts: string[]) =>
  post<Service>(`/services/${id}/credentials/confirm`, { hosts });
/** Adds a service to those that an agent may reach. */
export async function grantService(agentId: number, serviceId: number): Promise<void> {
  // Read now, because the list in the browser can be old.
  const { services } = await get<Agent>(`/agents/${agentId}`);
  const serviceIds = [...new Set([...services.map(({ id }) => id), serviceId])];
  await put<ReplaceScopeResponse>(`/agents/${agentId}/services`, { serviceIds });
}
export const addDocument = (id: number, document: CreateDocumentRequest) =>
  post<DocumentSummary>(`/services/${id}/documentation`, document);
export const deleteDocument = (id: number, documentId: number) =>
  del<MessageResponse>(`/services/${id}/documentation/${documentId}`);
export const createRule = (id: number, rule: CreateRiskRuleRequest) =>
  post<RiskRule>(`/services/${id}/risk-rules`, rule);
export const updateRule = (id: number, ruleId: number, change: UpdateRiskRuleRequest) =>
  put<RiskRule>(`/services/${id}/risk-rules/${ruleId}`, change);
export const restoreRule = (id: number, ruleId: number, version: number) =>
  post<RiskRule>(`/services/${id}/risk-rules/${ruleId}/versions/${version}/restore`);
export const deleteRule = (id: number, ruleId: number) => del<MessageResponse>(`/services/${id}/risk-rules/${ruleId}`);
