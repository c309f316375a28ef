import type { NamedRef, Service } from '#contracts';
import { serviceTemplates } from '../../lib/service-templates.js';

/** A harmless address below the first service of an agent: the test path of a known API, else the base URL itself. */
export function tryUrl(scope: readonly NamedRef[], services: readonly Service[]): string {
  const service = services.find(({ id }) => id === scope[0]?.id);
  if (!service) return 'https://api.example.com/';
  const base = service.baseUrl.replace(/\/+$/, '');
  return base + (serviceTemplates.find(({ baseUrl }) => baseUrl === base)?.testPath ?? '');
}
