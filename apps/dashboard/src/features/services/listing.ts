import type { Service, ServiceUsage } from '#contracts';

export type ServiceOrder = 'name' | 'requests' | 'rotated';

/** The URL without the scheme. This part distinguishes services. */
export const withoutScheme = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//i, '').replace(/\/+$/, '');

/** The services that match the search, sorted. Services without a rotation date count as the oldest. */
export function orderServices<T extends Service & { usage: ServiceUsage | undefined }>(
  services: readonly T[],
  text: string,
  order: ServiceOrder,
): T[] {
  const wanted = text.trim().toLowerCase();
  const byName = (a: T, b: T) => a.name.localeCompare(b.name) || a.id - b.id;
  const requests = ({ usage }: T) => usage?.requests24h ?? 0;
  return services
    .filter(({ name, baseUrl }) => `${name} ${baseUrl}`.toLowerCase().includes(wanted))
    .sort((a, b) => {
      if (order === 'requests') return requests(b) - requests(a) || byName(a, b);
      if (order === 'rotated')
        return (a.credentialsRotatedAt ?? '').localeCompare(b.credentialsRotatedAt ?? '') || byName(a, b);
      return byName(a, b);
    });
}
