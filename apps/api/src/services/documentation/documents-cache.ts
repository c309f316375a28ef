import type { ServiceView } from '../service-view.js';

/** Keeps what was made of the documents of services, up to a number of operations. What was used least recently goes first. */
export class DocumentsCache<T extends { size: number }> {
  /** By the version of a service's documents, the least recently used first. The size is 0 until it is known. */
  private readonly entries = new Map<string, { value: Promise<T>; size: number }>();

  /** @param operationsMax of all services together */
  constructor(
    private readonly load: (serviceId: number) => Promise<T>,
    private readonly operationsMax: number,
  ) {}

  /** What belongs to the service's documents as they are now. */
  get({ id, documentsVersion }: Pick<ServiceView, 'id' | 'documentsVersion'>): Promise<T> {
    const key = `${id}/${documentsVersion}`;
    const entry = this.entries.get(key) ?? this.add(key, id);
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  private add(key: string, serviceId: number): { value: Promise<T>; size: number } {
    const entry = { value: this.load(serviceId), size: 0 };
    entry.value.then(
      ({ size }) => {
        entry.size = size;
        this.makeRoom();
      },
      () => this.entries.delete(key),
    );
    return entry;
  }

  private makeRoom(): void {
    let operations = [...this.entries.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [key, { size }] of this.entries) {
      if (operations <= this.operationsMax || this.entries.size === 1) break;
      if (size > 0) this.entries.delete(key);
      operations -= size;
    }
  }
}
