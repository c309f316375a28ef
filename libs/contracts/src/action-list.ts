import { ApiProperty } from '@nestjs/swagger';
import { Action, ActionSummary } from './actions.js';
import { EFFECTS, type Effect } from './effects.js';
import { Choice, Decimal, PageLimit, QueryId, Text } from './fields.js';
import { ACTION_STATUSES, HTTP_METHODS, type ActionStatus, type HttpMethod } from './states.js';

const ACTION_SORTS = ['newest', 'risk', 'expiry', 'urgent'] as const;
export type ActionSort = (typeof ACTION_SORTS)[number];

const WAITING_FOR = ['me', 'others'] as const;
type WaitingFor = (typeof WAITING_FOR)[number];

export class ListActionsQuery {
  /** Default PENDING. ALL also returns past actions. */
  @Choice([...ACTION_STATUSES, 'ALL'], { optional: true, default: 'PENDING' })
  status?: ActionStatus | 'ALL';

  /** With the status PENDING only. `me`: you may approve and have not yet. `others`: all the rest. */
  @Choice(WAITING_FOR, { optional: true })
  waitingFor?: WaitingFor;

  @QueryId()
  agentId?: number;

  @QueryId()
  serviceId?: number;

  @Decimal({ query: true, min: 0, max: 1 })
  minRisk?: number;

  @Choice(HTTP_METHODS, { optional: true, name: 'HttpMethod' })
  method?: HttpMethod;

  /** Only actions that do this. */
  @Choice(EFFECTS, { optional: true, name: 'Effect' })
  effect?: Effect;

  /**
   * Searches the headline, the summary, the URL, the intent, and the names of the agent and the service; no bodies. A
   * number is found in every spelling: `12500`, `12,500` and `12.500,00` find `€12,500.00`, and so does `1250000`.
   */
  @Text({ optional: true, max: 200 })
  q?: string;

  /**
   * `urgent` works with PENDING only. It weighs risk and time left: actions are sorted by the moment when the fraction
   * of the decision time that is left falls to `risk_score`. So a critical action with 50 minutes left comes before a
   * low-risk one with 23 hours left.
   */
  @Choice(ACTION_SORTS, { optional: true, default: 'newest' })
  sort?: ActionSort;

  /** `nextCursor` of the previous page. Keep the same filters and order. */
  @Text({ optional: true, max: 200 })
  cursor?: string;

  @PageLimit()
  limit?: number;

  /** `summary` leaves out headers, body and result of each action. */
  @Choice(['summary'], { optional: true })
  view?: 'summary';
}

const ACTION_VIEWS = ['excerpt', 'summary'] as const;
export type ActionViewName = (typeof ACTION_VIEWS)[number];

export class ActionViewQuery {
  /**
   * Default: all of the action. `excerpt` cuts the body of the request and of the result after 64 kB. `summary` leaves out
   * headers, body and result.
   */
  @Choice(ACTION_VIEWS, { optional: true })
  view?: ActionViewName;
}

export class ActionPage {
  /**
   * A page can hold fewer than `limit` actions, or none, and still have a `nextCursor`: the gateway reads a limited
   * number of actions per page before it filters them.
   */
  @ApiProperty({ type: [Action] })
  items: Action[];

  /** null on the last page. */
  @ApiProperty({ nullable: true, type: String })
  nextCursor: string | null;
}

/** A page of `view=summary`. */
export class ActionSummaryPage {
  @ApiProperty({ type: [ActionSummary] })
  items: ActionSummary[];

  /** null on the last page. */
  @ApiProperty({ nullable: true, type: String })
  nextCursor: string | null;
}

export class ActionCounts {
  @ApiProperty()
  pending: number;

  /** The number of pending actions that you may approve and have not approved yet. */
  @ApiProperty()
  waitingForMe: number;

  @ApiProperty()
  approved: number;

  /** When the oldest pending action was created. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  oldestPendingAt: string | null;

  /**
   * Since when, at least, the risk model has failed; null: it answers. Until it answers, new requests are rated without it,
   * or held.
   */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  modelFailingSince: string | null;
}
