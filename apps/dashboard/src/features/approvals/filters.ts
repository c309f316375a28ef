import type { ActionSummary, ActionSort } from '#contracts';
import { isToday } from '../../lib/clock.js';
import { EFFECTS, type Effect } from '#contracts/effects';
import { ungrouped } from '#contracts/searched-numbers';
import { HTTP_METHODS, RISK_BANDS, type HttpMethod } from '#contracts/states';

/** `all`: all waiting actions, for people who don't decide. */
export type Tab = 'all' | 'waiting' | 'others' | 'approved' | 'mine';

export const isWaiting = (tab: Tab): boolean => tab === 'all' || tab === 'waiting' || tab === 'others';
type RiskFrom = 'medium' | 'high' | 'critical';

/** The view of the inbox, as its URL states it. */
export interface InboxView {
  tab: Tab;
  agent: number | null;
  service: number | null;
  risk: RiskFrom | null;
  effect: Effect | null;
  method: HttpMethod | null;
  q: string;
  sort: ActionSort;
}

/** The props that the parts of the filter bar share. */
export interface FilterProps {
  view: InboxView;
  set: (name: string, value: string) => void;
  clear: () => void;
}

const findKnown = <T extends string>(value: string | null, known: readonly T[]): T | null =>
  known.find((each) => each === value) ?? null;

const id = (value: string | null): number | null => (value && /^[1-9]\d{0,9}$/.test(value) ? Number(value) : null);

/** Decided actions are not urgent, so their tab starts with the newest. */
export const listSorts = (tab: Tab): readonly ActionSort[] =>
  isWaiting(tab) ? ['urgent', 'newest', 'risk', 'expiry'] : ['newest', 'risk', 'expiry'];

/** @param decides whether the reader may decide anything */
export function readView(search: URLSearchParams, decides: boolean): InboxView {
  const asked = findKnown(search.get('tab'), ['waiting', 'others', 'approved', 'mine']) ?? 'waiting';
  const tab = !decides && isWaiting(asked) ? 'all' : asked;
  return {
    tab,
    agent: id(search.get('agent')),
    service: id(search.get('service')),
    risk: findKnown(search.get('risk'), ['medium', 'high', 'critical']),
    effect: findKnown(search.get('effect'), EFFECTS),
    method: findKnown(search.get('method'), HTTP_METHODS),
    q: search.get('q') ?? '',
    sort: findKnown(search.get('sort'), listSorts(tab)) ?? listSorts(tab)[0]!,
  };
}

export const riskFrom = (risk: RiskFrom | null): number | undefined =>
  risk === null ? undefined : RISK_BANDS.find(({ word }) => word === risk)!.from;

/** The number of active filters, without the search. */
export const filterCount = (view: InboxView): number =>
  [view.agent, view.service, view.risk, view.effect, view.method].filter((each) => each !== null).length;

/** Whether an action from a live event belongs to this view. */
export function belongs(action: ActionSummary, view: InboxView, userId: number | undefined): boolean {
  const from = riskFrom(view.risk);
  return (
    inTab(action, view.tab, userId) &&
    (view.agent === null || action.agent.id === view.agent) &&
    (view.service === null || action.service.id === view.service) &&
    (from === undefined || action.risk_score >= from) &&
    (view.effect === null || action.effects.some(({ effect }) => effect === view.effect)) &&
    (view.method === null || action.method === view.method) &&
    (view.q === '' || hasText(action, view.q))
  );
}

/** Searches like the server: any part of these texts, ignoring case and the spelling of numbers. */
function hasText({ targetUrl, intent, summary, headline, agent, service }: ActionSummary, text: string): boolean {
  const all = [targetUrl, intent, summary, headline, agent.name, service.name].join('\n').toLowerCase();
  const plain = ungrouped(text).toLowerCase();
  return (
    all.includes(text.toLowerCase()) ||
    (/\d/.test(text) && all.replaceAll(',', '').includes(plain)) ||
    (/^\d+$/.test(text) && headline.replace(/[,.]/g, '').includes(text))
  );
}

export function inTab(action: ActionSummary, tab: Tab, userId: number | undefined): boolean {
  if (isWaiting(tab)) {
    const mine = action.approvals.you === 'may_approve';
    return action.status === 'PENDING' && (tab === 'all' || mine === (tab === 'waiting'));
  }
  if (tab === 'approved') return action.status === 'APPROVED';
  return action.resolved_at !== null && action.resolved_by?.id === userId && isToday(action.resolved_at);
}

/**
 * The time when the share `risk_score` of the time to decide is left. The API sorts by the same value (`sort=urgent`).
 */
function due({ created_at, expires_at, risk_score }: ActionSummary): number {
  const [asked, expires] = [Date.parse(created_at), Date.parse(expires_at)];
  return expires - risk_score * (expires - asked);
}

/** The order of the list, to insert new actions among loaded ones. */
export function compare(sort: ActionSort): (a: ActionSummary, b: ActionSummary) => number {
  const newest = (a: ActionSummary, b: ActionSummary) => b.created_at.localeCompare(a.created_at);
  if (sort === 'urgent') return (a, b) => due(a) - due(b) || newest(a, b);
  if (sort === 'risk') return (a, b) => b.risk_score - a.risk_score || newest(a, b);
  if (sort === 'expiry') return (a, b) => a.expires_at.localeCompare(b.expires_at) || newest(a, b);
  return newest;
}
