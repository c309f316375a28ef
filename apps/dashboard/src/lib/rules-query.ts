import type { RiskRule } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { get } from './http.js';
import { queryKeys } from './query-keys.js';

/** The risk rules of a service. */
export const rulesQuery = (id: number) =>
  queryOptions({
    queryKey: queryKeys.services.rules(id),
    queryFn: ({ signal }) => get<RiskRule[]>(`/services/${id}/risk-rules`, undefined, signal),
  });
