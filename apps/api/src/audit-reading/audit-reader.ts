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

/** The number of records that one page of a search reads at most: about 15 ms. */
const SEARCH_ROWS = 10_000;
const EXPORT_BATCH = 1000;
/** The first batch is small, so that the download begins immediately. */
const FIRST_EXPORT_BATCH = 50;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Audit records, newest first. */
@Injectable()
export class AuditReader {
  constructor(
    private readonly source: DataSource,
    private readonly decisions: AuditDecisions,
  ) {}

  async page(
    workspaceId: number,
    { cursor, limit = PAGE_LIMIT_DEFAULT, ...filter }: ListAuditQuery,
  ): Promise<AuditPage> {
    const before = cursor === undefined ? null : decodeCursor(cursor, ['uuid'])[0];
    const { items, next, searchedTo } = await this.before(workspaceId, filter, before, limit);
    return {
      items: items.map(withoutSeen),
      nextCursor: next === null ? null : encodeCursor([next]),
      searchedBackTo: searchedTo === null ? null : new Date(momentOfUuidV7(searchedTo)).toISOString(),
    };
  }

  /** @throws 404 when there is none, or it is another workspace's */
  async one(workspaceId: number, id: string): Promise<AuditRecord> {
    return (await this.decisions.complete(workspaceId, [await this.stored(workspaceId, id)]))[0];
  }

  /** As it is stored. @throws 404 when there is none, or it is another workspace's */
  async stored(workspaceId: number, id: string): Promise<AuditRecordEntity> {
    const record = UUID.test(id) ? await this.source.manager.findOneBy(AuditRecordEntity, { id, workspaceId }) : null;
    if (record === null) throw errors.recordNotFound();
    return record;
  }

  /** All records of the filter, in short statements. So an export with a slow reader holds no connection. */
  async *all(workspaceId: number, filter: AuditFilter): AsyncGenerator<AuditRecord[]> {
    let before: string | null = null;
    for (let size = FIRST_EXPORT_BATCH; ; size = EXPORT_BATCH) {
      const { items, next }: Found = await this.before(workspaceId, filter, before, size);
      // Empty batches are yielded too, so that the writer notices when the reader is gone.
      yield items;
      if (next === null) return;
      before = next;
    }
  }

  /**
   * The newest records of the filter before a given one. If the filter needs reads of records that may not match, at
   * most `SEARCH_ROWS` are read. The rest is left to the next page.
   */
  private async before(workspaceId: number, filter: AuditFilter, id: string | null, limit: number): Promise<Found> {
    const rows = (of: AuditFilter) => {
      const query = this.source.getRepository(AuditRecordEntity).createQueryBuilder('r');
      applyFilter(query, workspaceId, of).orderBy('r.id', 'DESC');
      return id === null ? query : query.andWhere('r.id < :id', { id });
    };
    // The edge is found before the page is read. A record that is written in between (records come a moment after their
    // ids) is then read now or by the next page, and never skipped.
    const edge = indexed(filter).rest ? await searchEdge(rows, filter, SEARCH_ROWS) : null;
    const page = rows(filter).limit(limit + 1);
    if (edge !== null) page.andWhere('r.id >= :edge', { edge });
    const records = await page.getMany();
    const items = await this.decisions.complete(workspaceId, records.slice(0, limit));
    if (records.length > limit) return { items, next: records[limit - 1].id, searchedTo: null };
    return { items, next: edge, searchedTo: edge };
  }
}

/** `next`: the next page begins before this record. `searchedTo`: where this page ended before it was full. */
interface Found {
  items: AuditRecord[];
  next: string | null;
  searchedTo: string | null;
}

/** What an approver had on the screen can be long, so only the record itself and the export have it. */
const withoutSeen = (record: AuditRecord): AuditRecord =>
  record.details?.seen === undefined ? record : { ...record, details: { ...record.details, seen: undefined } };
