import type { Action, ActionSort } from '#contracts';
import { HTTP_METHODS, RISK_BANDS, type HttpMethod } from '#contracts/states';

export type Tab = 'waiting' | 'approved' | 'mine';
export type RiskFrom = 'medium' | 'high' | 'critical';

/** What the URL of the inbox says. */
export interface InboxView {
  tab: Tab;
  agent: number | null;
  service: number | null;
  risk: RiskFrom | null;
  method: HttpMethod | null;
  q: string;
  sort: ActionSort;
}

const oneOf = <T extends string>(value: string | null, known: readonly T[]): T | null =>
  known.find((each) => each === value) ?? null;

const id = (value: string | null): number | null => (value && /^[1-9]\d{0,9}$/.test(value) ? Number(value) : null);

export function readView(search: URLSearchParams): InboxView {
  return {
    tab: oneOf(search.get('tab'), ['waiting', 'approved', 'mine']) ?? 'waiting',
    agent: id(search.get('agent')),
    service: id(search.get('service')),
    risk: oneOf(search.get('risk'), ['medium', 'high', 'critical']),
    method: oneOf(search.get('method'), HTTP_METHODS),
    q: search.get('q') ?? '',
    sort: oneOf(search.get('sort'), ['newest', 'risk', 'expiry']) ?? 'newest',
  };
}

export const riskFrom = (risk: RiskFrom | null): number | undefined =>
  risk === null ? undefined : RISK_BANDS.find(({ word }) => word === risk)!.from;

/** How many filters hold, the search aside. */
export const filterCount = (view: InboxView): number =>
  [view.agent, view.service, view.risk, view.method].filter((each) => each !== null).length;

/** Whether an action that a live event told of belongs to this view. `q` is the server's to judge: a newcomer may show too much, never too little. */
export function belongs(action: Action, view: InboxView, userId: number | undefined): boolean {
  const from = riskFrom(view.risk);
  return (
    inTab(action, view.tab, userId) &&
    (view.agent === null || action.agent.id === view.agent) &&
    (view.service === null || action.service.id === view.service) &&
    (from === undefined || action.risk_score >= from) &&
    (view.method === null || action.method === view.method)
  );
}

export function inTab(action: Action, tab: Tab, userId: number | undefined): boolean {
  if (tab === 'waiting') return action.status === 'PENDING';
  if (tab === 'approved') return action.status === 'APPROVED';
  return (
    action.resolved_at !== null &&
    action.resolved_by?.id === userId &&
    new Date(action.resolved_at).toDateString() === new Date().toDateString()
  );
}

/** The order of the list, for newcomers that join what is already loaded. */
export function compare(sort: ActionSort): (a: Action, b: Action) => number {
  const newest = (a: Action, b: Action) => b.created_at.localeCompare(a.created_at);
  if (sort === 'risk') return (a, b) => b.risk_score - a.risk_score || newest(a, b);
  if (sort === 'expiry') return (a, b) => a.expires_at.localeCompare(b.expires_at) || newest(a, b);
  return newest;
}
