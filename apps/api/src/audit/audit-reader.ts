import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  PAGE_LIMIT_DEFAULT,
  type AuditFilter,
  type AuditPage,
  type AuditRecord,
  type ListAuditQuery,
} from '#contracts';
import { AuditRecordEntity } from '#database';
import { decodeCursor, encodeCursor } from '../platform/cursor.js';
import { errors } from '../platform/errors.js';
import { momentOfUuidV7 } from '../platform/uuid-v7.js';
import { AuditDecisions } from './audit-decisions.js';
import { applyFilter, indexed, searchEdge } from './audit-filter.js';

/** Records that one page of a search looks at: some 15 ms. */
const SEARCH_ROWS = 10_000;
const EXPORT_BATCH = 1000;
/** The first one small, so that the download begins at once. */
const FIRST_EXPORT_BATCH = 50;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Audit records, newest first. */
@Injectable()
export class AuditReader {
  constructor(
    private readonly source: DataSource,
    private readonly decisions: AuditDecisions,
  ) {}

  async page(userId: number, { cursor, limit = PAGE_LIMIT_DEFAULT, ...filter }: ListAuditQuery): Promise<AuditPage> {
    const before = cursor === undefined ? null : decodeCursor(cursor, ['uuid'])[0];
    const { items, next, searchedTo } = await this.before(userId, filter, before, limit);
    return {
      items,
      nextCursor: next === null ? null : encodeCursor([next]),
      searchedBackTo: searchedTo === null ? null : new Date(momentOfUuidV7(searchedTo)).toISOString(),
    };
  }

  /** @throws 404 when there is none, or it is another user's */
  async one(userId: number, id: string): Promise<AuditRecord> {
    const record = UUID.test(id) ? await this.source.manager.findOneBy(AuditRecordEntity, { id, userId }) : null;
    if (record === null) throw errors.recordNotFound();
    return (await this.decisions.complete(userId, [record]))[0];
  }

  /** All records of the filter, in short statements: an export holds no connection while its reader is slow. */
  async *all(userId: number, filter: AuditFilter): AsyncGenerator<AuditRecord[]> {
    let before: string | null = null;
    for (let size = FIRST_EXPORT_BATCH; ; size = EXPORT_BATCH) {
      const { items, next }: Found = await this.before(userId, filter, before, size);
      // Empty ones too: whoever writes them sees whether anybody still reads.
      yield items;
      if (next === null) return;
      before = next;
    }
  }

  /**
   * The newest records of the filter before a record. Where the filter needs records to be read that may not match it,
   * no more than `SEARCH_ROWS` are: the rest is for the next page.
   */
  private async before(userId: number, filter: AuditFilter, id: string | null, limit: number): Promise<Found> {
    const rows = (of: AuditFilter) => {
      const query = this.source.getRepository(AuditRecordEntity).createQueryBuilder('r');
      applyFilter(query, userId, of).orderBy('r.id', 'DESC');
      return id === null ? query : query.andWhere('r.id < :id', { id });
    };
    // Before the page: a record that comes in between (they are written a moment after their ids are made) is then read
    // or left to the next page, and never passed over.
    const edge = indexed(filter).rest ? await searchEdge(rows, filter, SEARCH_ROWS) : null;
    const page = rows(filter).limit(limit + 1);
    if (edge !== null) page.andWhere('r.id >= :edge', { edge });
    const records = await page.getMany();
    const items = await this.decisions.complete(userId, records.slice(0, limit));
    if (records.length > limit) return { items, next: records[limit - 1].id, searchedTo: null };
    return { items, next: edge, searchedTo: edge };
  }
}

/** `next`: the record that the next page is before; `searchedTo`: where this one ended before it was full. */
interface Found {
  items: AuditRecord[];
  next: string | null;
  searchedTo: string | null;
}
