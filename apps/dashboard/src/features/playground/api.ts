import type { Action, AssessRiskRequest, AuditPage, AuditRecord, RiskAssessment, Service } from '#contracts';
import type { DocumentedOperation } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { get, post } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { EMPTY_TRIAL, pathBelow, type Trial } from './trial.js';

const LATEST = 12;

export const assess = (request: AssessRiskRequest) => post<RiskAssessment>('/risk/assess', request);

export const latestQuery = queryOptions({
  queryKey: queryKeys.audit.latest,
  queryFn: ({ signal }) => get<AuditPage>('/audit', { kind: 'request', limit: LATEST }, signal),
});

export const pathsQuery = (serviceId: number) =>
  queryOptions({
    queryKey: queryKeys.services.operations(serviceId),
    queryFn: ({ signal }) => get<DocumentedOperation[]>(`/services/${serviceId}/operations`, undefined, signal),
    staleTime: 5 * 60_000,
  });

/** A request from the history to try again. Only held requests have headers and a body. */
export async function toTrial(record: AuditRecord, services: readonly Service[]): Promise<Trial | null> {
  const service = services.find(({ id }) => id === record.service?.id);
  const path = service && record.url ? pathBelow(service.baseUrl, record.url) : null;
  if (!service || path === null || !record.method) return null;
  const action = record.actionId
    ? await get<Action>(`/approvals/${encodeURIComponent(record.actionId)}`).catch(() => null)
    : null;
  return {
    ...EMPTY_TRIAL,
    service: service.id,
    agent: record.agent?.id ?? null,
    method: record.method,
    path,
    headers: Object.entries(action?.headers ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    body: action?.bodyEncoding === undefined ? (action?.body ?? '') : '',
    intent: record.intent ?? '',
  };
}
