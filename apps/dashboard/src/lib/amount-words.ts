import type { RequestAmount } from '#contracts';

const DECIMAL = /^(-?)(0|[1-9]\d{0,17})(?:\.(\d{1,12}))?$/;
/** As in headlines. */
const WITH_SYMBOL = new Set(['EUR', 'GBP', 'JPY', 'USD']);

/** The sum that a number is in the unit of an amount: `€12,500.00` for `1250000`. null: it is none. */
export function amountWords(
  value: string,
  { currency, digits }: Pick<RequestAmount, 'currency' | 'digits'>,
): string | null {
  const [, sign, integer, fraction = ''] = DECIMAL.exec(value) ?? [];
  if (integer === undefined || (digits > 0 && fraction !== '')) return null;
  const padded = integer.padStart(digits + 1, '0');
  const at = padded.length - digits;
  const number = `${sign}${padded.slice(0, at)}.${padded.slice(at)}${fraction}`;
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: WITH_SYMBOL.has(currency) ? 'symbol' : 'code',
    maximumFractionDigits: 20,
    // A text is written exactly (ECMA-402). A number would lose digits.
  }).format(number as Intl.StringNumericLiteral);
}
