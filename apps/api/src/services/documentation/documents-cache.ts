import { LRUCache } from 'lru-cache';
import type { ServiceView } from '../service-view.js';

/** Caches values that are derived from the documents of services, up to a number of operations. */
export class DocumentsCache<T extends { size: number }> {
  /** By the version of a service's documents. The context of a load is the id of the service. */
  private readonly cache: LRUCache<string, T, number>;

  /** @param operationsMax most operations of all services together */
  constructor(load: (serviceId: number) => Promise<T>, operationsMax: number) {
    this.cache = new LRUCache({
      maxSize: operationsMax,
      // A service with more operations than the limit is cached alone.
      sizeCalculation: ({ size }) => Math.min(Math.max(size, 1), operationsMax),
      fetchMethod: (_key, _stale, { context: serviceId }) => load(serviceId),
      // Eviction does not stop a load: its callers still get the value.
      ignoreFetchAbort: true,
    });
  }

  /** Returns the value for the current documents of the service. Concurrent callers share one load. */
  get({ id, documentsVersion }: Pick<ServiceView, 'id' | 'documentsVersion'>): Promise<T> {
    return this.cache.forceFetch(`${id}/${documentsVersion}`, { context: id });
  }
}
