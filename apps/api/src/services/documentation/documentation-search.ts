import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ServiceView } from '../service-view.js';
import { DocumentsCache } from './documents-cache.js';
import { rankOperations } from './operation-ranking.js';
import { indexTexts, type OperationTexts, type SearchedOperation } from './operation-texts.js';

interface FoundOperation {
  serviceId: number;
  method: string;
  path: string;
  serverPath: string;
  operationId: string | null;
  summary: string | null;
}

/** Only the start of a description is searched. What comes later rarely names the operation. */
const DESCRIPTION_CHARS = 200;
/** Most operations of all services together in memory: about 30 MB. */
const CACHED_OPERATIONS_MAX = 50_000;

/** Finds documented operations by words. */
@Injectable()
export class DocumentationSearch {
  private readonly cache = new DocumentsCache((serviceId) => this.load(serviceId), CACHED_OPERATIONS_MAX);

  constructor(private readonly source: DataSource) {}

  /** Returns the best matches first. The order is always the same for the same documents. */
  async operations(services: readonly ServiceView[], query: string, limit: number): Promise<FoundOperation[]> {
    const indexes: OperationTexts[] = [];
    for (const service of services) {
      if (service.documentIds.length > 0) indexes.push(await this.cache.get(service));
    }
    const ids = rankOperations(indexes, query, limit);
    // The documents may have been replaced since they were indexed. Operations that no longer exist are left out.
    return ids.length === 0
      ? []
      : this.source.query(
          `SELECT service_id AS "serviceId", method, path, server_path AS "serverPath", operation_id AS "operationId", summary
           FROM documented_operations JOIN unnest($1::int[]) WITH ORDINALITY AS found (id, rank) USING (id)
           WHERE service_id = ANY($2) ORDER BY rank`,
          [ids, services.map(({ id }) => id)],
        );
  }

  private async load(serviceId: number): Promise<OperationTexts> {
    const operations: SearchedOperation[] = await this.source.query(
      `SELECT id, method, path, operation_id AS "operationId", summary, left(description, ${DESCRIPTION_CHARS}) AS description
       FROM documented_operations WHERE service_id = $1 ORDER BY id`,
      [serviceId],
    );
    return indexTexts(operations);
  }
}
