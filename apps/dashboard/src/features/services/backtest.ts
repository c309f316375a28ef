import type { Backtest, BacktestRequest } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';

type Tried = Pick<BacktestRequest, 'askFor' | 'rule'>;

export const BACKTEST_LAST = 1000;

/** It takes seconds, so it waits longer than other calls, and stops when nobody waits for it any more. */
const PATIENCE_MS = 120_000;

export const backtestQuery = (serviceId: number, tried: Tried) =>
  queryOptions({
    queryKey: queryKeys.backtest(serviceId, tried),
    queryFn: async ({ signal }) => {
      const path = `/services/${serviceId}/risk-rules/backtest`;
      const body = { ...tried, last: BACKTEST_LAST } satisfies BacktestRequest;
      return (await request<Backtest>({ method: 'POST', path, body, signal, timeoutMs: PATIENCE_MS })).data;
    },
    retry: false,
  });
