import type { AuditFilter } from '#contracts';
import { AUDIT_OUTCOMES, HTTP_METHODS, type HttpMethod } from '#contracts/states';

export type Tab = 'requests' | 'changes' | 'access';
export type Range = '24h' | '7d' | '30d' | 'custom';

/** What the URL of the history says; `id` opens a record. */
export interface HistoryView {
  tab: Tab;
  range: Range;
  /** Of a custom range: moments in ISO 8601. */
  from: string | null;
  to: string | null;
  agent: number | null;
  service: number | null;
  outcome: RequestOutcome | null;
  method: HttpMethod | null;
  /** First digit of the upstream's status. */
  status: number | null;
  q: string;
  request: string;
}

/** Executions are records of their own; this is one that was refused. */
const EXECUTION_REFUSED = 'execution_refused';
/** Outcomes of what agents sent, in the order of the filter. */
export const REQUEST_OUTCOMES = [
  ...AUDIT_OUTCOMES.filter((outcome) => outcome !== 'changed' && outcome !== 'denied'),
  EXECUTION_REFUSED,
] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];
export const RANGES = ['24h', '7d', '30d'] as const;
const HOURS: Record<(typeof RANGES)[number], number> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 };

const oneOf = <T extends string>(value: string | null, known: readonly T[]): T | null =>
  known.find((each) => each === value) ?? null;
const id = (value: string | null): number | null => (value && /^[1-9]\d{0,9}$/.test(value) ? Number(value) : null);
const moment = (value: string | null): string | null =>
  value && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : null;

export function readView(search: URLSearchParams): HistoryView {
  const from = moment(search.get('from'));
  const to = moment(search.get('to'));
  return {
    tab: oneOf(search.get('tab'), ['requests', 'changes', 'access']) ?? 'requests',
    range: from || to ? 'custom' : (oneOf(search.get('range'), RANGES) ?? '7d'),
    from,
    to,
    agent: id(search.get('agent')),
    service: id(search.get('service')),
    outcome: oneOf(search.get('outcome'), REQUEST_OUTCOMES),
    method: oneOf(search.get('method'), HTTP_METHODS),
    status: /^[1-5]$/.test(search.get('status') ?? '') ? Number(search.get('status')) : null,
    q: search.get('q') ?? '',
    request: search.get('request') ?? '',
  };
}

/** As the API takes it. `nowMs` is the moment at which the page was opened or refreshed, so that pages fit each other. */
export function toFilter(view: HistoryView, nowMs: number): AuditFilter {
  const range =
    view.range === 'custom'
      ? { from: view.from ?? undefined, to: view.to ?? undefined }
      : { from: new Date(nowMs - HOURS[view.range] * 3_600_000).toISOString() };
  if (view.tab !== 'requests')
    return { ...range, kind: view.tab === 'changes' ? 'change' : 'access', q: view.q || undefined };
  return {
    ...range,
    kind: view.outcome === 'executed' || view.outcome === EXECUTION_REFUSED ? 'execution' : 'request',
    agentId: view.agent ?? undefined,
    serviceId: view.service ?? undefined,
    outcome: view.outcome === EXECUTION_REFUSED ? 'refused' : (view.outcome ?? undefined),
    method: view.method ?? undefined,
    statusClass: view.status ?? undefined,
    q: view.q || undefined,
    requestId: view.request || undefined,
  };
}

/** Of the figures and charts: without what would leave one bar of each. */
export function toStatsFilter(view: HistoryView, nowMs: number): AuditFilter {
  const { kind: _kind, outcome: _outcome, ...filter } = toFilter(view, nowMs);
  return filter;
}

/** How many filters hold, range and search aside. */
export const filterCount = (view: HistoryView): number =>
  [view.agent, view.service, view.outcome, view.method, view.status, view.request || null].filter(
    (each) => each !== null,
  ).length;
