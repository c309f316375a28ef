import type { AuditFilter } from '#contracts';
import { AUDIT_OUTCOMES, HTTP_METHODS, type HttpMethod } from '#contracts/states';

export const TABS = ['requests', 'decisions', 'changes', 'access', 'charts'] as const;
export type Tab = (typeof TABS)[number];
type Range = '24h' | '7d' | '30d' | 'custom';

/** The view of the history, as its URL states it. `id` opens a record. */
export interface HistoryView {
  tab: Tab;
  range: Range;
  /** The limits of a custom range in ISO 8601. */
  from: string | null;
  to: string | null;
  agent: number | null;
  service: number | null;
  /** The person who decided the request or made the change. */
  person: number | null;
  decision: Decision | null;
  outcome: RequestOutcome | null;
  method: HttpMethod | null;
  /** The first digit of the upstream status. */
  status: number | null;
  q: string;
  request: string;
  /** An observed rule that matched the request. */
  rule: number | null;
}

/** A refused execution. Executions have separate records. */
const EXECUTION_REFUSED = 'execution_refused';
/** Outcomes of agents' requests, in the order of the filter. */
export const REQUEST_OUTCOMES = [
  ...AUDIT_OUTCOMES.filter((outcome) => outcome !== 'changed' && outcome !== 'denied'),
  EXECUTION_REFUSED,
] as const;
type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];
export const DECISIONS = ['approved', 'revised', 'denied', 'withdrawn', 'undone'] as const;
type Decision = (typeof DECISIONS)[number];
export const RANGES = ['24h', '7d', '30d'] as const;
const HOURS: Record<(typeof RANGES)[number], number> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 };

/** The filters of each tab, by their names in the URL. Range and search are in every tab. */
const REQUEST_FILTERS = ['agent', 'service', 'outcome', 'person', 'method', 'status', 'request', 'rule'] as const;
export type FilterName = (typeof REQUEST_FILTERS)[number] | 'decision';
export const FILTERS: Record<Tab, readonly FilterName[]> = {
  requests: REQUEST_FILTERS,
  charts: REQUEST_FILTERS,
  decisions: ['decision', 'person', 'agent', 'service', 'method'],
  changes: ['person'],
  access: ['person'],
};

const findKnown = <T extends string>(value: string | null, known: readonly T[]): T | null =>
  known.find((each) => each === value) ?? null;
const id = (value: string | null): number | null => (value && /^[1-9]\d{0,9}$/.test(value) ? Number(value) : null);
const moment = (value: string | null): string | null =>
  value && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : null;

/** Drops the filters that the tab does not have. */
export function readView(search: URLSearchParams): HistoryView {
  const from = moment(search.get('from'));
  const to = moment(search.get('to'));
  const tab = findKnown(search.get('tab'), TABS) ?? 'requests';
  const of = (name: FilterName): string | null => (FILTERS[tab].includes(name) ? search.get(name) : null);
  return {
    tab,
    range: from || to ? 'custom' : (findKnown(search.get('range'), RANGES) ?? '7d'),
    from,
    to,
    agent: id(of('agent')),
    service: id(of('service')),
    person: id(of('person')),
    decision: findKnown(of('decision'), DECISIONS),
    outcome: findKnown(of('outcome'), REQUEST_OUTCOMES),
    method: findKnown(of('method'), HTTP_METHODS),
    status: /^[1-5]$/.test(of('status') ?? '') ? Number(of('status')) : null,
    q: search.get('q') ?? '',
    request: of('request') ?? '',
    rule: id(of('rule')),
  };
}

/**
 * The parameters for the API. `nowMs` is the time when the page was opened or refreshed, so that pages of the list are
 * consistent.
 */
export function toFilter(view: HistoryView, nowMs: number): AuditFilter {
  const range =
    view.range === 'custom'
      ? { from: view.from ?? undefined, to: view.to ?? undefined }
      : { from: new Date(nowMs - HOURS[view.range] * 3_600_000).toISOString() };
  return {
    ...range,
    ...toKindFilter(view),
    agentId: view.agent ?? undefined,
    serviceId: view.service ?? undefined,
    actorId: view.person ?? undefined,
    method: view.method ?? undefined,
    statusClass: view.status ?? undefined,
    q: view.q || undefined,
    requestId: view.request || undefined,
    observedRule: view.rule ?? undefined,
  };
}

function toKindFilter({ tab, outcome, decision }: HistoryView): Pick<AuditFilter, 'kind' | 'outcome' | 'decision'> {
  if (tab === 'decisions') return { decision: decision ?? 'any' };
  if (tab === 'changes') return { kind: 'change' };
  if (tab === 'access') return { kind: 'access' };
  if (outcome === EXECUTION_REFUSED) return { kind: 'execution', outcome: 'refused' };
  return { kind: outcome === 'executed' ? 'execution' : 'request', outcome: outcome ?? undefined };
}

/**
 * The parameters for figures and charts: all filters of the list. Without an outcome or a person, they include
 * executions.
 */
export function toStatsFilter(view: HistoryView, nowMs: number): AuditFilter {
  const { kind, ...filter } = toFilter(view, nowMs);
  return view.tab === 'decisions' || (view.outcome === null && view.person === null) ? filter : { ...filter, kind };
}

/** The number of active filters, without range and search. */
export const filterCount = (view: HistoryView): number =>
  FILTERS[view.tab].filter((name) => view[name] !== null && view[name] !== '').length;

/** The URL change that removes all filters and the search. */
export const NO_FILTERS: Record<FilterName | 'q', null> = {
  agent: null,
  service: null,
  outcome: null,
  person: null,
  decision: null,
  method: null,
  status: null,
  request: null,
  rule: null,
  q: null,
};
