import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import {
  isAtLeast,
  PAGE_LIMIT_DEFAULT,
  type Action,
  type ActionCounts,
  type ActionPage,
  type ActionSort,
  type ActionSummary,
  type ActionSummaryPage,
  type ListActionsQuery,
} from '#contracts';
import { ungrouped } from '#contracts/searched-numbers';
import type { ActionEntity } from '#database';
import { decodeCursor, encodeCursor, type CursorValue } from '../platform/cursor.js';
import { errors } from '../platform/errors.js';
import type { ActingMember } from '../membership/member.js';
import { ModelOutages } from '../risk/model-outages.js';
import { ActionFactsReader, type ActionFacts } from './action-facts.js';
import { toActionSummary, toListedAction } from './action-mapper.js';
import { countingSql, mayApproveSql } from './approvers.js';
import { ListedBodies, withBodySizes, withListedBodies, type ListedRow, type SizedRow } from './listed-bodies.js';
import { actionsWithoutBodies } from './stored-actions.js';

type Rows = SelectQueryBuilder<ActionEntity>;
interface Order {
  /** The compared value: a column, or an expression over the columns of one row. */
  by: string;
  direction: 'ASC' | 'DESC';
  kind: CursorValue;
  type: string;
}
/** The value of `by`, read with the row. */
interface Ordered {
  order_value: Date | number;
}

/** The number of actions that one page of a search reads at most: about 20 ms. */
const SEARCH_ROWS = 5000;

/**
 * The moment when an action is due. At this moment, the share `risk_score` of its time to decide is left. So a critical
 * action is due soon after it was held, and a mild one shortly before it expires. The moment changes at most once, when the
 * model has assessed the action, so the order is nearly the same on all pages. `lib/urgency.ts` of the dashboard computes the same.
 */
const DUE = `date_part('epoch', a.expires_at)
  - a.risk_score * (date_part('epoch', a.expires_at) - date_part('epoch', a.created_at))`;

/** Each order is by one value and then by id, so that a page begins exactly after the last row of the page before. */
const ORDERS: Record<ActionSort, Order> = {
  newest: {
    by: 'a.created_at',
    direction: 'DESC',
    kind: 'moment',
    type: 'timestamptz',
  },
  risk: {
    by: 'a.risk_score',
    direction: 'DESC',
    kind: 'number',
    type: 'double precision',
  },
  expiry: {
    by: 'a.expires_at',
    direction: 'ASC',
    kind: 'moment',
    type: 'timestamptz',
  },
  urgent: {
    by: DUE,
    direction: 'ASC',
    kind: 'number',
    type: 'double precision',
  },
};

/** The lists of actions that approvers see. */
@Injectable()
export class ActionList {
  constructor(
    private readonly source: DataSource,
    private readonly facts: ActionFactsReader,
    private readonly bodies: ListedBodies,
    private readonly outages: ModelOutages,
  ) {}

  async page(member: ActingMember, query: ListActionsQuery): Promise<ActionPage | ActionSummaryPage> {
    const { workspaceId } = member;
    const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
    // No index has this order, so it is offered only for pending actions, which are few.
    if (query.sort === 'urgent' && (query.status ?? 'PENDING') !== 'PENDING')
      throw errors.invalid('sort: urgent needs the status PENDING');
    if (query.waitingFor !== undefined && (query.status ?? 'PENDING') !== 'PENDING')
      throw errors.invalid('waitingFor: needs the status PENDING');
    const order = ORDERS[query.sort ?? 'newest'];
    const cursor = query.cursor === undefined ? null : decodeCursor(query.cursor, [order.kind, 'uuid']);
    const rows = (): Rows => {
      const all = actionsWithoutBodies(this.source)
        .where('a.workspace_id = :workspaceId', { workspaceId })
        .orderBy(order.by, order.direction)
        .addOrderBy('a.id', order.direction);
      return cursor === null ? all : beyond(all, order, order.direction === 'DESC' ? '<' : '>', cursor);
    };
    // The edge is found before the page is read. An action that is queued in between is then on this page or on the
    // next one.
    const edge = await this.searchEdge(rows(), query, order);
    const isSummary = query.view === 'summary';
    const page = filter(isSummary ? withBodySizes(rows()) : withListedBodies(rows()), query, member)
      .addSelect(order.by, 'order_value')
      .limit(limit + 1);
    if (edge) beyond(page, order, order.direction === 'DESC' ? '>=' : '<=', edge);
    const { entities: found, raw } = await page.getRawAndEntities<Ordered & ListedRow>();
    const last = found.length > limit ? found[limit - 1] : null;
    const shown = found.slice(0, limit);
    const facts = await this.facts.of(workspaceId, shown);
    const next = last ? [inCursor(raw[limit - 1]), last.id] : edge;
    const nextCursor = next && encodeCursor(next);
    return isSummary
      ? { items: await this.summaries(shown, raw, facts, member), nextCursor }
      : { items: await this.listed(shown, raw, facts, member), nextCursor };
  }

  private async listed(
    actions: ActionEntity[],
    rows: readonly ListedRow[],
    facts: ActionFacts,
    member: ActingMember,
  ): Promise<Action[]> {
    const items: Action[] = [];
    for (const [at, action] of actions.entries()) {
      items.push(toListedAction(await this.bodies.of(action, rows[at]), facts, member));
    }
    return items;
  }

  private async summaries(
    actions: ActionEntity[],
    rows: readonly SizedRow[],
    facts: ActionFacts,
    member: ActingMember,
  ): Promise<ActionSummary[]> {
    const unread = actions.map((action, at) => ({ action, bodyBytes: rows[at].body_size }));
    const digests = await this.bodies.digests(unread);
    return unread.map(({ action, bodyBytes }, at) =>
      toActionSummary(action, facts, member, { digest: digests[at], bodyBytes }),
    );
  }

  /**
   * The last row that a page may read; null: the page may read all rows. No page reads more than `SEARCH_ROWS` actions
   * that may not match.
   */
  private async searchEdge(rows: Rows, query: ListActionsQuery, order: Order): Promise<string[] | null> {
    if (!narrow(rows, query)) return null;
    // Reads columns of the index only, and not the rows.
    const edge = await rows
      .select('a.id', 'id')
      .addSelect(order.by, 'order_value')
      .offset(SEARCH_ROWS - 1)
      .limit(1)
      .getRawOne<Ordered & { id: string }>();
    return edge ? [inCursor(edge), edge.id] : null;
  }

  async counts({ workspaceId, id, role }: ActingMember): Promise<ActionCounts> {
    const [row]: { pending: string; mine: string; approved: string; oldest: Date | null }[] = await this.source.query(
      `SELECT count(*) FILTER (WHERE status = 'PENDING' AND expires_at > now()) AS pending,
              count(*) FILTER (WHERE status = 'PENDING' AND expires_at > now() AND $3 AND ${waitingForSql('actions', '$2::int')}) AS mine,
              count(*) FILTER (WHERE status = 'APPROVED' AND (approval_expires_at > now() OR claim_id IS NOT NULL)) AS approved,
              min(created_at) FILTER (WHERE status = 'PENDING' AND expires_at > now()) AS oldest
       FROM actions WHERE workspace_id = $1 AND status IN ('PENDING', 'APPROVED')`,
      [workspaceId, id, isAtLeast(role, 'approver')],
    );
    return {
      pending: Number(row.pending),
      waitingForMe: Number(row.mine),
      approved: Number(row.approved),
      oldestPendingAt: row.oldest?.toISOString() ?? null,
      modelFailingSince: (await this.outages.since())?.toISOString() ?? null,
    };
  }
}

/** SQL: a pending row of `actions` waits for this person. */
const waitingForSql = (action: string, person: string): string =>
  `(${mayApproveSql(action, person)} AND NOT ${countingSql(action)} @> jsonb_build_array(jsonb_build_object('id', ${person})))`;

const inCursor = ({ order_value: value }: Ordered): string =>
  value instanceof Date ? value.toISOString() : String(value);

function beyond(rows: Rows, { by, type }: Order, sign: '<' | '>' | '<=' | '>=', [value, id]: string[]): Rows {
  const at = sign.length === 1 ? 'cursor' : 'edge';
  return rows.andWhere(`(${by}, a.id) ${sign} (CAST(:${at}Value AS ${type}), CAST(:${at}Id AS uuid))`, {
    [`${at}Value`]: value,
    [`${at}Id`]: id,
  });
}

/**
 * Narrows the actions by the parts of the query that have an index. Pending actions are few.
 * @returns whether the query has other parts too, so that actions must be read that may not match
 */
function narrow(
  rows: Rows,
  { status = 'PENDING', agentId, serviceId, method, effect, q, minRisk, sort, waitingFor }: ListActionsQuery,
): boolean {
  const parts = [agentId, serviceId, method, effect, waitingFor, q || undefined, sort === 'risk' ? undefined : minRisk];
  let rest = parts.filter((part) => part !== undefined).length;
  if (status === 'PENDING' || status === 'APPROVED') {
    rows.andWhere('a.status = :status', { status });
  } else if (agentId !== undefined || serviceId !== undefined) {
    const column = agentId === undefined ? 'service_id' : 'agent_id';
    rows.andWhere(`a.${column} = :party`, { party: agentId ?? serviceId });
    rest += status === 'ALL' ? -1 : 0;
  } else if (status === 'EXPIRED') rest += 1;
  else if (status !== 'ALL') rows.andWhere('a.status = :status', { status });
  return rest > 0;
}

function filter(rows: Rows, query: ListActionsQuery, { id, role }: ActingMember): Rows {
  filterStatus(rows, query.status ?? 'PENDING');
  if (query.agentId !== undefined) rows.andWhere('a.agent_id = :agentId', { agentId: query.agentId });
  if (query.serviceId !== undefined) rows.andWhere('a.service_id = :serviceId', { serviceId: query.serviceId });
  if (query.minRisk !== undefined) rows.andWhere('a.risk_score >= :minRisk', { minRisk: query.minRisk });
  if (query.method !== undefined) rows.andWhere('a.method = :method', { method: query.method });
  if (query.effect !== undefined) {
    rows.andWhere('a.effects @> CAST(:effects AS jsonb)', { effects: JSON.stringify([{ effect: query.effect }]) });
  }
  if (query.waitingFor !== undefined) {
    const mine = isAtLeast(role, 'approver') ? waitingForSql('a', 'CAST(:reader AS integer)') : 'false';
    rows.andWhere(query.waitingFor === 'me' ? mine : `NOT ${mine}`, { reader: id });
  }
  if (query.q) filterText(rows, query.q);
  return rows;
}

/** By the effective status: an action past its time counts as EXPIRED before the job has moved it. */
function filterStatus(rows: Rows, status: string): void {
  if (status === 'ALL') return;
  if (status === 'PENDING') rows.andWhere(`a.status = 'PENDING' AND a.expires_at > now()`);
  else if (status === 'APPROVED') {
    rows.andWhere(`a.status = 'APPROVED' AND (a.approval_expires_at > now() OR a.claim_id IS NOT NULL)`);
  } else if (status === 'EXPIRED') {
    rows.andWhere(
      `(a.status = 'EXPIRED' OR (a.status = 'PENDING' AND a.expires_at <= now())
        OR (a.status = 'APPROVED' AND a.claim_id IS NULL AND a.approval_expires_at <= now()))`,
    );
  } else rows.andWhere('a.status = :status', { status });
}

const SEARCHED = ['target_url', 'intent', 'summary', 'headline', 'agent_name', 'service_name'].map(
  (name) => `a.${name}`,
);

function filterText(rows: Rows, text: string): void {
  const found = SEARCHED.map((column) => `${column} ILIKE :pattern`);
  const plain = ungrouped(text);
  if (/\d/.test(text)) found.push(`translate(concat_ws(E'\\n', ${SEARCHED.join(', ')}), ',', '') ILIKE :plain`);
  // An amount in cents stands in the request without a point.
  if (/^\d+$/.test(text)) found.push(`translate(a.headline, ',.', '') ILIKE :plain`);
  rows.andWhere(`(${found.join(' OR ')})`, { pattern: patternOf(text), plain: patternOf(plain) });
}

const patternOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
