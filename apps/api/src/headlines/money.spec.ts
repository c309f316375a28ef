import { amountWords } from '../../../dashboard/src/lib/amount-words.js';
import { formatMoney, moneyIn } from './money.js';
import type { NamedValue } from './named-values.js';

it.each(['0', '7', '99', '1250000', '-1250000', '123456789012345678'])(
  'writes %s minor units as the editor of the dashboard does',
  (value) => {
    for (const currency of ['EUR', 'USD', 'GBP', 'JPY', 'KWD', 'CHF', 'BRL']) {
      const { text, digits } = formatMoney(value, currency, true);
      expect(amountWords(value, { currency, digits: digits! })?.replaceAll('\u00a0', ' ')).toBe(text);
    }
  },
);

it.each([
  ['1250000', 'EUR', true, '€12,500.00', 2],
  ['12500.00', 'EUR', false, '€12,500.00', 0],
  ['500', 'JPY', true, '¥500', 0],
  ['12500', 'EUR', false, '12500 EUR or €125.00', null],
  ['500', 'JPY', false, '¥500', 0],
  ['500', 'UGX', false, '500 UGX', null],
  ['12.5', 'EUR', true, '12.5 EUR', null],
  ['500', 'UGX', true, '500 minor units of UGX', null],
  ['500', 'XQQ', true, '500 XQQ', null],
])('writes %s %s (in minor units: %s) as %s, with %s digits', (amount, currency, isMinor, text, digits) => {
  expect(formatMoney(amount, currency, isMinor)).toEqual({ text, digits });
});

it('finds no amount in an object with too many currencies, and takes little time for thousands', () => {
  const field = (name: string, value: string): NamedValue => ({ path: ['body', name], value, isSecret: false });
  const names = Array.from({ length: 2500 }, (_, n) => n.toString(36));
  const values = names.flatMap((name) => [field(`${name}_amount`, '5'), field(`${name}_currency`, 'EUR')]);
  expect(moneyIn(values, { host: 'api.stripe.com', description: '' })).toEqual([]);
  expect(moneyIn(values.slice(0, 4), { host: 'api.stripe.com', description: '' })).toHaveLength(2);
});
