import type { Service } from '#contracts';
import { scopeDiff } from './scope-diff.js';
import { tryUrl } from './try-url.js';

const service = (id: number, baseUrl = `https://${id}.example.com/`) => ({ id, name: `s${id}`, baseUrl }) as Service;

it('scopeDiff lists kept, gained and lost services only', () => {
  const all = [service(1), service(2), service(3), service(4)];
  expect(scopeDiff(all, new Set([1, 2]), new Set([2, 3])).map(({ service: { id }, change }) => [id, change])).toEqual([
    [1, 'loses'],
    [2, 'keeps'],
    [3, 'gains'],
  ]);
});

describe('tryUrl', () => {
  it('uses the test path of a known API, otherwise the base URL', () => {
    const all = [service(1, 'https://api.stripe.com/v1'), service(2)];
    expect(tryUrl([{ id: 1, name: 's1' }], all)).toBe('https://api.stripe.com/v1/balance');
    expect(tryUrl([{ id: 2, name: 's2' }], all)).toBe('https://2.example.com');
    expect(tryUrl([], all)).toBe('https://api.example.com/');
  });
});
