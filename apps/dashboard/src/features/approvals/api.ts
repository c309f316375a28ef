import type {
  Action,
  ActionContext,
  ActionSummary,
  ActionSummaryPage,
  ActionViewQuery,
  ApproveActionRequest,
  DecisionRequest,
  ListActionsQuery,
} from '#contracts';
import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import { now } from '../../lib/clock.js';
import { del, get, request } from '../../lib/http.js';
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
    view: 'summary',
  };
}

/** The server reads at most this many actions per page. An empty page is not the end of the list. */
async function foundPage(view: InboxView, cursor: string | null, signal: AbortSignal): Promise<ActionSummaryPage> {
  for (let at = cursor; ;) {
    const page: ActionSummaryPage = await get<ActionSummaryPage>('/approvals', parameters(view, at), signal);
    if (page.items.length > 0 || page.nextCursor === null) return page;
    at = page.nextCursor;
  }
}

async function recentPages(view: InboxView, signal: AbortSignal): Promise<ActionSummaryPage> {
  const items: ActionSummary[] = [];
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

const urlOf = (actionId: string): string => `/approvals/${encodeURIComponent(actionId)}`;

const SUMMARY: ActionViewQuery = { view: 'summary' };

/** Bodies can have megabytes, so only the page of an action loads them. */
export const readSummary = (actionId: string, signal?: AbortSignal): Promise<ActionSummary> =>
  get<ActionSummary>(urlOf(actionId), SUMMARY, signal);

/** What is known of an action besides its request. */
export const summaryQuery = (actionId: string) =>
  queryOptions({
    queryKey: queryKeys.approvals.summary(actionId),
    queryFn: ({ signal }) => readSummary(actionId, signal),
  });

/**
 * An action with the first 64 kB of its bodies. A refetch does not load them again, because the request of an action
 * never changes, and its result is stored once.
 */
export const actionQuery = (actionId: string) =>
  queryOptions({
    queryKey: queryKeys.approvals.one(actionId),
    queryFn: async ({ client, queryKey, signal }): Promise<Action> => {
      const known = client.getQueryData<Action>(queryKey);
      const now = known && (await readSummary(actionId, signal));
      if (known && now && hasBodiesOf(known, now)) return { ...known, ...now };
      return get<Action>(urlOf(actionId), { view: 'excerpt' } satisfies ActionViewQuery, signal);
    },
  });

const hasBodiesOf = (known: Action, now: ActionSummary): boolean =>
  known.digest === now.digest && (now.status !== 'EXECUTED' || known.result !== null);

/** An action with all of its bodies. They are loaded once, and once more for a long result that comes later. */
export const wholeQuery = ({ action_id, result }: Pick<Action, 'action_id' | 'result'>) =>
  queryOptions({
    queryKey: queryKeys.approvals.whole(action_id, result?.bodyTruncated === true),
    queryFn: async ({ client, queryKey, signal }): Promise<Action> =>
      client.getQueryData<Action>(queryKey) ?? (await get<Action>(urlOf(action_id), undefined, signal)),
    staleTime: Infinity,
  });

/** Shows the state that the gateway has answered. */
export function noteState(queryClient: QueryClient, state: ActionSummary): void {
  const { action_id } = state;
  queryClient.setQueryData(summaryQuery(action_id).queryKey, state);
  queryClient.setQueryData(actionQuery(action_id).queryKey, (known) => known && { ...known, ...state });
}

export const contextQuery = (actionId: string) =>
  queryOptions({
    queryKey: queryKeys.approvals.context(actionId),
    queryFn: ({ signal }) => get<ActionContext>(`${urlOf(actionId)}/context`, undefined, signal),
    // Others decide what it counts.
    staleTime: 10_000,
  });

/** @param about what the person does, in words, if they have to confirm that it is them */
async function decide(
  { action_id }: Pick<Action, 'action_id'>,
  decision: string,
  body: object,
  about?: string,
): Promise<ActionSummary> {
  const path = `${urlOf(action_id)}/${decision}`;
  return (await request<ActionSummary>({ method: 'PATCH', path, params: SUMMARY, body, about })).data;
}

/**
 * Sends the digest of the action on the screen with an approval, so that nothing else is approved.
 * @param seen what was on the screen, if the page knows it
 */
export const approveAction = (action: ActionSummary, note?: string, seen?: string[]): Promise<ActionSummary> =>
  decide(
    action,
    'approve',
    {
      note: note || null,
      ...(action.digest !== null && { digest: action.digest, seen }),
    } satisfies ApproveActionRequest,
    action.headline,
  );

export const denyAction = (action: ActionSummary, note?: string): Promise<ActionSummary> =>
  decide(action, 'deny', { note: note || null } satisfies DecisionRequest);

export const deleteRule = (serviceId: number, ruleId: number): Promise<void> =>
  del(`/services/${serviceId}/risk-rules/${ruleId}`);

/** Takes the person's approval back: the action waits again. */
export const undo = (action: Pick<Action, 'action_id'>): Promise<ActionSummary> => decide(action, 'undo', {});

/** Withdraws an approval that the agent has not used: the action is denied. */
export const withdraw = (action: Pick<Action, 'action_id'>): Promise<ActionSummary> =>
  decide(action, 'withdraw', {} satisfies DecisionRequest);
