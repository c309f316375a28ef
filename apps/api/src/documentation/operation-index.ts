import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { DocumentedOperationEntity } from '#database';
import { parseUrl } from '#egress';
import type { DescribedOperation } from '../effects/described-operation.js';
import { isReadAlike } from '../request-reading/path-steps.js';
import type { ServiceView } from '../service-view/service-view.js';
import { DocumentsCache } from './documents-cache.js';
import { inPortions } from './operation-rows.js';
import { ServiceTemplates, type TemplateRow } from './service-templates.js';

/** The parts of a request that say which operation it calls. */
export interface OperationCall {
  method: string;
  targetUrl: string;
}

/** Most operations of all services together in memory: about 30 MB. */
const CACHED_OPERATIONS_MAX = 100_000;
/** Most descriptions in memory: about 5 MB, at most 40 MB. */
const DESCRIBED_MAX = 5_000;

/** Finds the documented operation that a request would call. */
@Injectable()
export class OperationIndex {
  private readonly cache = new DocumentsCache((serviceId) => this.load(serviceId), CACHED_OPERATIONS_MAX);
  /** By the id of the operation's row. A row never changes: a changed document gets new ones. */
  private readonly descriptions = new LRUCache<number, DescribedOperation>({
    max: DESCRIBED_MAX,
    fetchMethod: (id) => this.loadDescription(id),
    ignoreFetchAbort: true,
  });

  constructor(private readonly source: DataSource) {}

  /** Returns the operation that fits best. */
  async match(service: ServiceView, method: string, targetUrl: string): Promise<DocumentedOperationEntity | null> {
    const url = parseUrl(targetUrl);
    if (service.documentIds.length === 0 || url === null) return null;
    const id = (await this.cache.get(service)).find(method, url, service.baseUrl);
    // Returns null if the documents were replaced since they were indexed.
    return id === null ? null : this.source.manager.findOneBy(DocumentedOperationEntity, { id, serviceId: service.id });
  }

  /**
   * Returns what is known of the operation. Null: the request calls none that is documented, or servers may read its
   * path in different ways, so a description could mislead.
   */
  async describe(service: ServiceView, call: OperationCall): Promise<DescribedOperation | null> {
    const url = toDescribed(service, call);
    if (url === null) return null;
    const id = (await this.cache.get(service)).find(call.method, url, service.baseUrl);
    return id === null ? null : ((await this.descriptions.fetch(id)) ?? null);
  }

  /** Returns what `describe` would return, without a query. Undefined: not in memory, so ask `describe`. */
  described(service: ServiceView, call: OperationCall): DescribedOperation | null | undefined {
    const url = toDescribed(service, call);
    if (url === null) return null;
    const id = this.cache.known(service)?.find(call.method, url, service.baseUrl);
    return typeof id === 'number' ? this.descriptions.get(id) : id;
  }

  private async load(serviceId: number): Promise<ServiceTemplates> {
    const templates = new ServiceTemplates();
    const columns = 'id, method, path, compared_path AS "comparedPath", server_path AS "serverPath"';
    for await (const rows of inPortions<TemplateRow>(this.source, columns, serviceId)) templates.add(rows);
    return templates;
  }

  private async loadDescription(id: number): Promise<DescribedOperation | undefined> {
    const columns = { method: true, path: true, operationId: true, summary: true, facts: true } as const;
    const row = await this.source.manager.findOne(DocumentedOperationEntity, { select: columns, where: { id } });
    // The documents were replaced since they were indexed.
    if (row === null) return undefined;
    const { method, path, operationId, summary, facts } = row;
    return {
      id: operationId,
      method,
      path,
      summary: summary ?? '',
      tags: facts?.tags ?? [],
      deprecated: facts?.deprecated ?? false,
      queryParameters: facts?.queryParameters ?? [],
      fields: facts?.fields ?? [],
      annotations: facts?.annotations ?? null,
    };
  }
}

/** The target of a call that an operation may describe. */
function toDescribed(service: ServiceView, { targetUrl }: OperationCall): URL | null {
  if (service.documentIds.length === 0) return null;
  const url = parseUrl(targetUrl);
  return url !== null && isReadAlike(url, service.baseUrl) ? url : null;
}
