import type {
  Action,
  ActionContext,
  ActionPage,
  ApproveActionRequest,
  AuditStats,
  CreateRiskRuleRequest,
  DecisionRequest,
  ListActionsQuery,
  RiskRule,
} from '#contracts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { dayStart, now } from '../../lib/clock.js';
import { del, get, patch, post } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { isWaiting, riskFrom, type InboxView } from './filters.js';

const PAGE = 50;
const MINE_PAGES_MAX = 10;
/** Actions decided today were created within this time, because a pending action expires after a day by default. */
const MINE_AGE_MS = 3 * 24 * 3_600_000;

/** Never refetched automatically. The inbox holds the loaded actions, and live events update it. */
export const listQuery = (view: InboxView) =>
  infiniteQueryOptions({
    queryKey: queryKeys.approvals.list(view),
    queryFn: ({ pageParam, signal }) =>
      view.tab === 'mine' ? recentPages(view, signal) : foundPage(view, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

function parameters(view: InboxView, cursor: string | null): ListActionsQuery {
  return {
    status: isWaiting(view.tab) ? 'PENDING' : view.tab === 'approved' ? 'APPROVED' : 'ALL',
    waitingFor: view.tab === 'waiting' ? 'me' : view.tab === 'others' ? 'others' : undefined,
    agentId: view.agent ?? undefined,
    serviceId: view.service ?? undefined,
    minRisk: riskFrom(view.risk),
    effect: view.effect ?? undefined,
    method: view.method ?? undefined,
    q: view.q || undefined,
    sort: view.tab === 'mine' ? 'newest' : view.sort,
    cursor: cursor ?? undefined,
    limit: PAGE,
  };
}

/** The server reads at most this many actions per page. An empty page is not the end of the list. */
async function foundPage(view: InboxView, cursor: string | null, signal: AbortSignal): Promise<ActionPage> {
  for (let at = cursor; ;) {
    const page: ActionPage = await get<ActionPage>('/approvals', parameters(view, at), signal);
    if (page.items.length > 0 || page.nextCursor === null) return page;
    at = page.nextCursor;
  }
}

async function recentPages(view: InboxView, signal: AbortSignal): Promise<ActionPage> {
  const items: Action[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MINE_PAGES_MAX; page++) {
    const next = await foundPage(view, cursor, signal);
    items.push(...next.items);
    cursor = next.nextCursor;
    const oldest = next.items.at(-1);
    if (!cursor || !oldest || Date.parse(oldest.created_at) < now() - MINE_AGE_MS) break;
  }
  return { items, nextCursor: null };
}

export const readAction = (actionId: string, signal?: AbortSignal): Promise<Action> =>
  get<Action>(`/approvals/${encodeURIComponent(actionId)}`, undefined, signal);

export const actionQuery = (actionId: string) =>
  queryOptions({
    queryKey: queryKeys.approvals.one(actionId),
    queryFn: ({ signal }) => readAction(actionId, signal),
  });

export const contextQuery = (actionId: string) =>
  queryOptions({
    queryKey: queryKeys.approvals.context(actionId),
    queryFn: ({ signal }) =>
      get<ActionContext>(`/approvals/${encodeURIComponent(actionId)}/context`, undefined, signal),
    staleTime: 60_000,
  });

/** Today's figures, for the empty inbox. */
export const todayQuery = () => {
  const from = dayStart(now());
  return queryOptions({
    queryKey: queryKeys.audit.statsSince(from),
    queryFn: ({ signal }) => get<AuditStats>('/audit/stats', { from: from.toISOString() }, signal),
    staleTime: 60_000,
  });
};

/**
 * Sends the digest of the action on the screen with an approval, so that nothing else is approved.
 * @param seen what was on the screen, if the page knows it
 */
export const approveAction = ({ action_id, digest }: Action, note?: string, seen?: string[]): Promise<Action> =>
  patch<Action>(`/approvals/${encodeURIComponent(action_id)}/approve`, {
    note: note || null,
    ...(digest !== null && { digest, seen }),
  } satisfies ApproveActionRequest);

export const denyAction = ({ action_id }: Action, note?: string): Promise<Action> =>
  patch<Action>(`/approvals/${encodeURIComponent(action_id)}/deny`, { note: note || null } satisfies DecisionRequest);

export const createRule = (serviceId: number, rule: CreateRiskRuleRequest): Promise<RiskRule> =>
  post<RiskRule>(`/services/${serviceId}/risk-rules`, rule);

export const deleteRule = (serviceId: number, ruleId: number): Promise<void> =>
  del(`/services/${serviceId}/risk-rules/${ruleId}`);

/** Takes the person's approval back: the action waits again. */
export const undo = ({ action_id }: Pick<Action, 'action_id'>): Promise<Action> =>
  patch<Action>(`/approvals/${encodeURIComponent(action_id)}/undo`, {});

/** Withdraws an approval that the agent has not used: the action is denied. */
export const withdraw = ({ action_id }: Pick<Action, 'action_id'>): Promise<Action> =>
  patch<Action>(`/approvals/${encodeURIComponent(action_id)}/withdraw`, {} satisfies DecisionRequest);
