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
import { applyFilter } from './audit-filter.js';
import { toAuditRecord } from './audit-mapper.js';

const EXPORT_BATCH = 1000;
/** The first one small, so that the download begins at once. */
const FIRST_EXPORT_BATCH = 50;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Audit records, newest first. */
@Injectable()
export class AuditReader {
  constructor(private readonly source: DataSource) {}

  async page(userId: number, { cursor, limit = PAGE_LIMIT_DEFAULT, ...filter }: ListAuditQuery): Promise<AuditPage> {
    const before = cursor === undefined ? null : decodeCursor(cursor, ['uuid'])[0];
    const found = await this.before(userId, filter, before, limit + 1);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return { items, nextCursor: found.length > limit && last ? encodeCursor([last.id]) : null };
  }

  /** @throws 404 when there is none, or it is another user's */
  async one(userId: number, id: string): Promise<AuditRecord> {
    const record = UUID.test(id) ? await this.source.manager.findOneBy(AuditRecordEntity, { id, userId }) : null;
    if (record === null) throw errors.recordNotFound();
    return toAuditRecord(record);
  }

  /** All records of the filter, in short statements: an export holds no connection while its reader is slow. */
  async *all(userId: number, filter: AuditFilter): AsyncGenerator<AuditRecord[]> {
    let before: string | null = null;
    for (let size = FIRST_EXPORT_BATCH; ; size = EXPORT_BATCH) {
      const batch: AuditRecord[] = await this.before(userId, filter, before, size);
      if (batch.length > 0) yield batch;
      if (batch.length < size) return;
      before = batch[batch.length - 1].id;
    }
  }

  private async before(userId: number, filter: AuditFilter, id: string | null, limit: number): Promise<AuditRecord[]> {
    const rows = this.source.getRepository(AuditRecordEntity).createQueryBuilder('r');
    applyFilter(rows, userId, filter).orderBy('r.id', 'DESC').limit(limit);
    if (id !== null) rows.andWhere('r.id < :id', { id });
    return (await rows.getMany()).map(toAuditRecord);
  }
}
