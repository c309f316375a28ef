import { wordsOf } from '../effects/names.js';
import type { NamedValue, Scalar } from './named-values.js';

/** An amount with its currency. */
export interface Money {
  /** `€12,500.00`. Where nobody can be sure of the unit, both readings: `12500 EUR or €125.00`. */
  text: string;
  /** The number counts units of ten to the power of minus this: 2 for cents, 0 for euros. Null: nobody can be sure. */
  digits: number | null;
  amount: NamedValue;
  currency: NamedValue;
}

/** ISO 4217, of the currencies that do not have two digits. APIs agree about these. */
const DIGITS = new Map([
  ...'BIF DJF GNF JPY KMF KRW PYG RWF VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
]);
/** Stripe, Adyen and others count these in different units than ISO 4217, or than each other. */
const DISPUTED = new Set('CLF CLP CVE HUF IDR ISK MGA MRU TWD UGX UYI UYW'.split(' '));
const CODES = new Set(Intl.supportedValuesOf('currency'));
const SYMBOLS = new Map([
  ['EUR', '€'],
  ['GBP', '£'],
  ['JPY', '¥'],
  ['USD', '$'],
]);

/** APIs whose documentation says that amounts are integers in the smallest unit of the currency. */
const MINOR_UNIT_HOSTS =
  /^(?:api\.stripe\.com|(?:[\w-]+\.)+adyen(?:payments)?\.com|connect\.squareup(?:sandbox)?\.com|api(?:\.sandbox)?\.checkout\.com|api(?:-sandbox)?\.gocardless\.com|api\.razorpay\.com|api\.paystack\.co|api(?:-\w\w)?\.(?:playground\.)?klarna\.com)$/;
const IN_MINOR_UNITS = /smallest (?:currency|monetary) unit|minor (?:currency )?units?|(?<!not )in cents\b/i;

/** A text of decimal digits. */
const DECIMAL = /^-?(?:0|[1-9]\d{0,17})(?:\.\d{1,12})?$/;
const AMOUNT = /^(?:amounts?|value|price|total|sum|fee|balance|cost)$/;
const CURRENCY = /^(?:(.*)-)?currency(?:-code)?$/;
/** An object with more of them says of no amount which one is its. */
const CURRENCIES_MAX = 8;

/** What says in which unit amounts are. */
export interface AmountUnits {
  host: string;
  /** The operation as its document describes it, in JSON. */
  description: string;
}

/** The amounts of a request that have their currency beside them. */
export function moneyIn(values: readonly NamedValue[], units: AmountUnits): Money[] {
  const currencies = currenciesIn(values);
  const found: Money[] = [];
  for (const amount of values) {
    if (amount.isSecret || !isAmountName(nameOf(amount)) || !isNumber(amount.value)) continue;
    const currency = currencyOf(amount, currencies.get(outerOf(amount)) ?? []);
    if (currency === null) continue;
    const written = formatMoney(String(amount.value), currency.value as string, isInMinorUnits(amount, units));
    found.push({ ...written, amount, currency });
  }
  return found;
}

const nameOf = ({ path }: NamedValue): string => path.at(-1) ?? '';
const outerOf = ({ path }: NamedValue): string => JSON.stringify(path.slice(0, -1));
const isAmountName = (name: string): boolean => wordsOf(name).some((word) => AMOUNT.test(word));
const isNumber = (value: NamedValue['value']): value is Scalar =>
  typeof value === 'bigint' || typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value));

/** A currency, and what it is the currency of: `source` for `sourceCurrency`. */
interface NamedCurrency {
  currency: NamedValue;
  of: string;
}

/** By the object that they are in. */
function currenciesIn(values: readonly NamedValue[]): Map<string, NamedCurrency[]> {
  const found = new Map<string, NamedCurrency[]>();
  for (const currency of values) {
    if (typeof currency.value !== 'string' || !/^[a-z]{3}$/i.test(currency.value)) continue;
    const kind = CURRENCY.exec(wordsOf(nameOf(currency)).join('-'));
    if (kind === null) continue;
    const outer = outerOf(currency);
    found.set(outer, [...(found.get(outer) ?? []).slice(0, CURRENCIES_MAX), { currency, of: kind[1] ?? '' }]);
  }
  return found;
}

/** The one currency in the same object: of several, the one that is named like the amount (`sourceAmount`). */
function currencyOf(amount: NamedValue, beside: readonly NamedCurrency[]): NamedValue | null {
  if (beside.length === 0 || beside.length > CURRENCIES_MAX) return null;
  const own = wordsOf(nameOf(amount))
    .filter((word) => !AMOUNT.test(word))
    .join('-');
  const [found, ...others] = beside.length > 1 ? beside.filter(({ of }) => of === own) : beside;
  const isOther = found !== undefined && !['', own, 'iso'].includes(found.of);
  return found === undefined || others.length > 0 || isOther ? null : found.currency;
}

function isInMinorUnits(amount: NamedValue, { host, description }: AmountUnits): boolean {
  const name = nameOf(amount);
  if (MINOR_UNIT_HOSTS.test(host) || /(?:^|-)(?<!not-)(?:cents|minor|minor-units?)$/.test(wordsOf(name).join('-')))
    return true;
  const at = description.indexOf(`"${name}"`);
  // Only what stands in the description of this field, up to the next object.
  const about = at === -1 ? '' : (/^"[^"]*"\s*:\s*\{([^{}]{0,2000})/.exec(description.slice(at))?.[1] ?? '');
  return IN_MINOR_UNITS.test(about);
}

/**
 * Writes an amount with the digits of its currency, if it is sure in which unit it is. A sum that is wrong by a factor of
 * a hundred is worse than one that stands as the API gets it.
 */
export function formatMoney(amount: string, currency: string, isMinor: boolean): Pick<Money, 'text' | 'digits'> {
  const code = currency.toUpperCase();
  const asItStands = { text: `${amount} ${code}`, digits: null };
  if (!DECIMAL.test(amount) || !CODES.has(code)) return asItStands;
  const digits = DIGITS.get(code) ?? 2;
  const [integer, fraction] = amount.split('.');
  if (fraction !== undefined) {
    // With all digits of its currency, it is in whole units.
    const isWhole = !isMinor && fraction.length === digits;
    return isWhole ? { text: written(integer, fraction, code), digits: 0 } : asItStands;
  }
  if (DISPUTED.has(code)) return isMinor ? { text: `${amount} minor units of ${code}`, digits: null } : asItStands;
  const sign = integer.startsWith('-') ? '-' : '';
  const padded = integer.replace('-', '').padStart(digits + 1, '0');
  const at = padded.length - digits;
  const sum = written(sign + padded.slice(0, at), padded.slice(at), code);
  // Nobody can read a number of unknown unit wrong where both readings stand. A yen has no smaller unit.
  return isMinor || digits === 0 ? { text: sum, digits } : { text: `${amount} ${code} or ${sum}`, digits: null };
}

function written(integer: string, fraction: string, code: string): string {
  const sign = integer.startsWith('-') ? '-' : '';
  const grouped = integer.replace('-', '').replace(/\B(?=(?:\d{3})+$)/g, ',');
  const number = fraction === '' ? grouped : `${grouped}.${fraction}`;
  return `${sign}${SYMBOLS.get(code) ?? `${code} `}${number}`;
}
