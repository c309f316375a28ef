import type { NamedRef, Service } from '#contracts';
import { findTestPath } from '#catalogue';

/** A harmless URL of the agent's first service: the test path of a known API, otherwise the base URL. */
export function tryUrl(scope: readonly NamedRef[], services: readonly Service[]): string {
  const service = services.find(({ id }) => id === scope[0]?.id);
  if (!service) return 'https://api.example.com/';
  const base = service.baseUrl.replace(/\/+$/, '');
  return base + (findTestPath(base) ?? '');
}
