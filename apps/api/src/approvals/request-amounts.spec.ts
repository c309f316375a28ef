import type { RequestAmount } from '#contracts';
import { requestContent } from '../request-reading/request-content.js';
import { amountsIn } from './request-amounts.js';
import { requestFields } from './request-fields.js';

const STRIPE = { host: 'api.stripe.com', description: '' };
const OTHER = { host: 'api.example.com', description: '' };

function amounts(body: unknown, units = STRIPE, query = ''): RequestAmount[] {
  const isForm = typeof body === 'string';
  const headers = { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' };
  const targetUrl = `https://${units.host}/v1/refunds${query}`;
  const content = requestContent({ method: 'POST', targetUrl, headers, body: isForm ? body : JSON.stringify(body) });
  return amountsIn(requestFields(targetUrl, content)!, units);
}
const texts = (...args: Parameters<typeof amounts>): string[] =>
  amounts(...args).map(({ pointer, text }) => `${pointer} ${text}`);

it('has the place, the sum and the unit of an amount', () => {
  expect(amounts({ charge: 'ch_1', amount: 1250000, currency: 'eur' })).toEqual([
    {
      pointer: '/body/amount',
      text: '€12,500.00',
      currency: 'EUR',
      currencyPointer: '/body/currency',
      digits: 2,
    },
  ]);
});

it.each<[string, Parameters<typeof amounts>, string[]]>([
  ['in a form', ['amount=500&currency=jpy'], ['/body/amount ¥500']],
  [
    'in a form with brackets',
    ['price_data[unit_amount]=1999&price_data[currency]=usd'],
    ['/body/price_data[unit_amount] $19.99'],
  ],
  ['in the query', [{}, STRIPE, '?amount=100&currency=gbp'], ['/query/amount £1.00']],
  [
    'in lists, each with its own currency',
    [{ lines: [{ amount: 1, currency: 'USD' }, { amount: 2, currency: 'EUR' }, { amount: 3 }] }],
    ['/body/lines/0/amount $0.01', '/body/lines/1/amount €0.02'],
  ],
  ['below a name with a slash', [{ 'a/b': { amount: 100, currency: 'EUR' } }], ['/body/a~1b/amount €1.00']],
  ['in whole units', [{ amount: '12.50', currency: 'EUR' }, OTHER], ['/body/amount €12.50']],
])('finds amounts %s', (_where, args, found) => expect(texts(...args)).toEqual(found));

it.each<[string, Parameters<typeof amounts>]>([
  ['whose unit is unknown', [{ amount: 1250000, currency: 'EUR' }, OTHER]],
  ['without a currency', [{ amount: 100 }]],
  ['whose currency stands in another object', [{ amount: 100, total: { currency: 'EUR' } }]],
  ['that are secret', [{ secret_amount: 100, currency: 'EUR' }]],
  ['that stand twice', ['amount=100&amount=200&currency=eur']],
])('finds no amounts %s', (_what, args) => expect(amounts(...args)).toEqual([]));

it('finds at most 50', () => {
  expect(amounts({ lines: Array.from({ length: 60 }, () => ({ amount: 100, currency: 'EUR' })) })).toHaveLength(50);
});
