import type { Service, ServiceUsage } from '#contracts';
import { orderServices, withoutScheme } from './listing.js';

const service = (id: number, name: string, rotatedAt: string | null, requests24h?: number) =>
  ({
    id,
    name,
    baseUrl: `https://${name.toLowerCase()}.example.com/v1/`,
    credentialsRotatedAt: rotatedAt,
    usage: requests24h === undefined ? undefined : { requests24h },
  }) as Service & { usage: ServiceUsage | undefined };

const all = [
  service(1, 'Stripe', '2026-02-01T00:00:00.000Z', 5),
  service(2, 'GitHub', null, 90),
  service(3, 'Axiom', '2026-01-01T00:00:00.000Z'),
];
const names = (order: 'name' | 'requests' | 'rotated', text = '') =>
  orderServices(all, text, order).map(({ name }) => name);

describe('orderServices', () => {
  it('sorts by name, use and age of the credentials', () => {
    expect(names('name')).toEqual(['Axiom', 'GitHub', 'Stripe']);
    expect(names('requests')).toEqual(['GitHub', 'Stripe', 'Axiom']);
    expect(names('rotated')).toEqual(['GitHub', 'Axiom', 'Stripe']);
  });

  it('searches names and URLs, ignoring case', () => {
    expect(names('name', 'STRIPE.example')).toEqual(['Stripe']);
    expect(names('name', 'nothing')).toEqual([]);
  });
});

it('withoutScheme drops the scheme and the trailing slash', () => {
  expect(withoutScheme('https://api.example.com/v1/')).toBe('api.example.com/v1');
});
