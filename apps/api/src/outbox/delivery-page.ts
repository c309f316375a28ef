import { PAGE_LIMIT_DEFAULT, type ListDeliveriesQuery } from '#contracts';
import type { DeliveryColumns } from '#database';
import type { SelectQueryBuilder } from 'typeorm';
import { decodeCursor, encodeCursor } from '../platform/cursor.js';

/**
 * Reads one page of deliveries, newest first.
 * @param rows selects the deliveries of one receiver under the alias `d`
 * @throws ApiError 400 for a cursor that this endpoint did not give
 */
export async function pageOfDeliveries<Row extends DeliveryColumns, Item>(
  rows: SelectQueryBuilder<Row>,
  query: ListDeliveriesQuery,
  toItem: (row: Row) => Item,
): Promise<{ items: Item[]; nextCursor: string | null }> {
  const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
  rows
    .orderBy('d.occurred_at', 'DESC')
    .addOrderBy('d.id', 'DESC')
    .limit(limit + 1);
  if (query.cursor !== undefined) {
    const [at, id] = decodeCursor(query.cursor, ['moment', 'uuid']);
    rows.andWhere('(d.occurred_at, d.id) < (CAST(:at AS timestamptz), CAST(:id AS uuid))', { at, id });
  }
  const found = await rows.getMany();
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(toItem),
    nextCursor: found.length > limit && last ? encodeCursor([last.occurredAt.toISOString(), last.id]) : null,
  };
}

/** Converts a stored delivery for responses. */
export const shownDelivery = <Type, State>(
  delivery: DeliveryColumns & { type: Type; state: State },
  actionId: string | null,
) => ({
  id: delivery.id,
  type: delivery.type,
  actionId,
  occurredAt: delivery.occurredAt.toISOString(),
  state: delivery.state,
  attempts: delivery.attempts,
  lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
  lastStatus: delivery.lastStatus,
  lastError: delivery.lastError,
  // During an attempt, the column contains the end of the lease, which is internal.
  nextAttemptAt: delivery.claimId === null ? (delivery.nextAttemptAt?.toISOString() ?? null) : null,
});
