import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { DocumentedOperationEntity } from '#database';
import { parseUrl } from '#egress';
import type { DescribedOperation } from '../effects/described-operation.js';
import type { ServiceView } from '../service-view/service-view.js';
import { describedTarget, toDescribedOperation, type MethodsCall, type OperationCall } from './described-operations.js';
import { DocumentsCache } from './documents-cache.js';
import { inPortions } from './operation-rows.js';
import { spannedPath } from '../request-reading/path-template.js';
import { ServiceTemplates, type FoundTemplate, type TemplateRow } from './service-templates.js';

/** Most operations of all services together in memory: about 30 MB. */
const CACHED_OPERATIONS_MAX = 100_000;
/** Most descriptions in memory: about 5 MB, at most 40 MB. */
const DESCRIBED_MAX = 5_000;

/** The operation of a method and a path, and others for which some server may take the request. Null: too many. */
interface DescribedOperations {
  own: DescribedOperation | null;
  others: readonly DescribedOperation[] | null;
}

const NONE_DESCRIBED: DescribedOperations = { own: null, others: [] };

/** Finds the documented operation that a request would call. */
@Injectable()
export class OperationIndex {
  private readonly cache = new DocumentsCache((serviceId) => this.load(serviceId), CACHED_OPERATIONS_MAX);
  /**
   * By the id of the operation's row; negative if its last parameter spans segments. A row never changes: a changed
   * document gets new ones.
   */
  private readonly descriptions = new LRUCache<number, DescribedOperation>({
    max: DESCRIBED_MAX,
    fetchMethod: (key) => this.loadDescription(key),
    ignoreFetchAbort: true,
  });

  constructor(private readonly source: DataSource) {}

  /** Returns the operation that fits best. @param tools the tools that the body calls */
  async match(
    service: ServiceView,
    method: string,
    targetUrl: string,
    tools: readonly string[] = [],
  ): Promise<DocumentedOperationEntity | null> {
    const url = parseUrl(targetUrl);
    if (service.documentIds.length === 0 || url === null) return null;
    const found = (await this.cache.get(service)).find({ method, tools }, url, service.baseUrl);
    if (found === null) return null;
    const where = { id: found.id, serviceId: service.id };
    // Returns null if the documents were replaced since they were indexed.
    const operation = await this.source.manager.findOneBy(DocumentedOperationEntity, where);
    if (operation !== null && found.isSpanned) operation.comparedPath = spannedPath(operation);
    return operation;
  }

  /**
   * Returns what is known of the operation. Null: the request calls none that is documented, or servers may read its
   * path in different ways, so a description could mislead. Of a request that calls several tools, ask for each.
   */
  async describe(service: ServiceView, call: OperationCall): Promise<DescribedOperation | null> {
    const url = describedTarget(service, call);
    if (url === null) return null;
    const found = (await this.cache.get(service)).findAlike(call, url, service.baseUrl);
    return found === null ? null : ((await this.descriptions.fetch(toKey(found))) ?? null);
  }

  /** Returns what `describe` would return, without a query. Undefined: not in memory, so ask `describe`. */
  described(service: ServiceView, call: OperationCall): DescribedOperation | null | undefined {
    const url = describedTarget(service, call);
    if (url === null) return null;
    const found = this.cache.known(service)?.findAlike(call, url, service.baseUrl);
    return found ? this.descriptions.get(toKey(found)) : found;
  }

  /**
   * Returns what `describe` returns for the method and the path, and the operations for which some server may take the
   * request besides it: in another spelling of the path, or by another method that the request names.
   */
  async describeAll(service: ServiceView, call: MethodsCall): Promise<DescribedOperations> {
    const url = describedTarget(service, call);
    if (url === null) return NONE_DESCRIBED;
    const found = (await this.cache.get(service)).findAll(call.method, call.methods, url, service.baseUrl);
    const own = found.own && this.descriptions.fetch(toKey(found.own));
    const others = found.others && Promise.all(found.others.map((each) => this.descriptions.fetch(toKey(each))));
    return { own: (await own) ?? null, others: (await others)?.filter((each) => each !== undefined) ?? null };
  }

  /** Returns what `describeAll` would return, without a query. Undefined: not in memory, so ask `describeAll`. */
  describedAll(service: ServiceView, call: MethodsCall): DescribedOperations | undefined {
    const url = describedTarget(service, call);
    if (url === null) return NONE_DESCRIBED;
    const found = this.cache.known(service)?.findAll(call.method, call.methods, url, service.baseUrl);
    if (found === undefined) return undefined;
    const own = found.own && this.descriptions.get(toKey(found.own));
    const others = found.others && found.others.map((each) => this.descriptions.get(toKey(each)));
    if (own === undefined || others?.includes(undefined)) return undefined;
    return { own, others: others as DescribedOperation[] | null };
  }

  /**
   * Whether nobody can say which operation a request calls, because servers may read its path in different ways. To be
   * asked after `describe`; true if the documents are not in memory.
   */
  isAmbiguous(service: ServiceView, call: OperationCall): boolean {
    if (service.documentIds.length === 0) return false;
    const url = describedTarget(service, call);
    return url === null || (this.cache.known(service)?.isAmbiguous(call, url, service.baseUrl) ?? true);
  }

  /**
   * The tools that a call names and the service's lists of tools lack. None if the service has no list. Undefined: the lists
   * are not in memory, so ask `describe` first.
   */
  unknownTools(service: ServiceView, { tools = [] }: OperationCall): readonly string[] | undefined {
    if (service.documentIds.length === 0 || tools.length === 0) return [];
    const known = this.cache.known(service)?.tools;
    return known && (known.size === 0 ? [] : tools.filter((tool) => !known.has(tool)));
  }

  /** Whether the service has a list of tools. */
  async hasTools(service: ServiceView): Promise<boolean> {
    return service.documentIds.length > 0 && (await this.cache.get(service)).tools.size > 0;
  }

  private async load(serviceId: number): Promise<ServiceTemplates> {
    const templates = new ServiceTemplates();
    const columns = `id, method, path, compared_path AS "comparedPath", server_path AS "serverPath",
      CASE WHEN path = '' THEN operation_id END AS tool`;
    for await (const rows of inPortions<TemplateRow>(this.source, columns, serviceId)) templates.add(rows);
    return templates.finish();
  }

  private async loadDescription(key: number): Promise<DescribedOperation | undefined> {
    const row = await this.source.manager.findOne(DocumentedOperationEntity, {
      select: {
        method: true,
        path: true,
        comparedPath: true,
        operationId: true,
        summary: true,
        description: true,
        facts: true,
      },
      where: { id: Math.abs(key) },
    });
    // The documents were replaced since they were indexed.
    if (row === null) return undefined;
    return toDescribedOperation(row, key < 0);
  }
}

const toKey = ({ id, isSpanned }: FoundTemplate): number => (isSpanned ? -id : id);
