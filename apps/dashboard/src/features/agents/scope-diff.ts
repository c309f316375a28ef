import type { Service } from '#contracts';

export interface ScopeChange {
  service: Service;
  change: 'keeps' | 'gains' | 'loses';
}

/** The services that an agent keeps, gains and loses, in the order of the list. */
export const scopeDiff = (
  services: readonly Service[],
  before: ReadonlySet<number>,
  after: ReadonlySet<number>,
): ScopeChange[] =>
  services
    .filter(({ id }) => before.has(id) || after.has(id))
    .map((service) => ({
      service,
      change: !after.has(service.id) ? 'loses' : before.has(service.id) ? 'keeps' : 'gains',
    }));
