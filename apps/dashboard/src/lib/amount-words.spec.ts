import { amountWords } from './amount-words.js';

it.each([
  ['1250000', 'EUR', 2, '€12,500.00'],
  ['5', 'USD', 2, '$0.05'],
  ['-100', 'USD', 2, '-$1.00'],
  ['500', 'JPY', 0, '¥500'],
  ['1234567', 'KWD', 3, 'KWD\u00a01,234.567'],
  ['12500.00', 'EUR', 0, '€12,500.00'],
  ['12500', 'EUR', 0, '€12,500.00'],
  ['0.125', 'EUR', 0, '€0.125'],
  ['900719925474099301', 'GBP', 2, '£9,007,199,254,740,993.01'],
])('writes %s in %s with %d digits as %s', (value, currency, digits, sum) => {
  expect(amountWords(value, { currency, digits })).toBe(sum);
});

it.each(['', '1.5', '1e3', '007', ' 5', '1,000', 'five'])('finds no sum in %j cents', (value) => {
  expect(amountWords(value, { currency: 'EUR', digits: 2 })).toBeNull();
});
