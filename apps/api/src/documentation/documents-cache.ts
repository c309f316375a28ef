import { LRUCache } from 'lru-cache';
import type { ServiceView } from '../service-view/service-view.js';

type Documented = Pick<ServiceView, 'id' | 'documentsVersion'>;

/** Caches values that are derived from the documents of services, up to a number of operations. */
export class DocumentsCache<T extends { size: number }, Asker = void> {
  /** By the version of a service's documents. The context of a load is the id of the service, and who asks first. */
  private readonly cache: LRUCache<string, T, { id: number; asker: Asker }>;

  /** @param operationsMax most operations of all services together */
  constructor(load: (serviceId: number, asker: Asker) => Promise<T>, operationsMax: number) {
    this.cache = new LRUCache({
      maxSize: operationsMax,
      // A service with more operations than the limit is cached alone.
      sizeCalculation: ({ size }) => Math.min(Math.max(size, 1), operationsMax),
      fetchMethod: (_key, _stale, { context: { id, asker } }) => load(id, asker),
      // Eviction does not stop a load: its callers still get the value.
      ignoreFetchAbort: true,
    });
  }

  /** Returns the value for the current documents of the service. Concurrent callers share one load. */
  get(service: Documented, asker: Asker): Promise<T> {
    return this.cache.forceFetch(toKey(service), { context: { id: service.id, asker } });
  }

  /** The same if it is in memory. */
  known(service: Documented): T | undefined {
    return this.cache.get(toKey(service));
  }
}

const toKey = ({ id, documentsVersion }: Documented): string => `${id}/${documentsVersion}`;
