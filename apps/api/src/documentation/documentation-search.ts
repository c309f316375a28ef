import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Turns } from '../platform/turns.js';
import type { ServiceView } from '../service-view/service-view.js';
import { DocumentsCache } from './documents-cache.js';
import { rankOperations } from './operation-ranking.js';
import { inPortions } from './operation-rows.js';
import { TextIndexer, type OperationTexts, type SearchedOperation } from './operation-texts.js';

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

/** Finds documented operations by words, in the turns of the agent that asks. */
@Injectable()
export class DocumentationSearch {
  private readonly cache = new DocumentsCache(
    (serviceId, agentId: number) => this.load(serviceId, agentId),
    CACHED_OPERATIONS_MAX,
  );

  constructor(
    private readonly source: DataSource,
    private readonly turns: Turns,
  ) {}

  /** Returns the best matches first. The order is always the same for the same documents. */
  async operations(
    agentId: number,
    services: readonly ServiceView[],
    query: string,
    limit: number,
  ): Promise<FoundOperation[]> {
    const indexes: OperationTexts[] = [];
    for (const service of services) {
      if (service.documentIds.length > 0) indexes.push(await this.cache.get(service, agentId));
    }
    const ids = await this.turns.begin(agentId, rankOperations(indexes, query, limit));
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

  private async load(serviceId: number, agentId: number): Promise<OperationTexts> {
    const indexer = new TextIndexer();
    const columns = `id, method, path, operation_id AS "operationId", summary, left(description, ${DESCRIPTION_CHARS}) AS description`;
    for await (const rows of inPortions<SearchedOperation>(this.source, columns, serviceId)) {
      await this.turns.finish(agentId, indexer.add(rows));
    }
    return this.turns.finish(agentId, indexer.finish());
  }
}
