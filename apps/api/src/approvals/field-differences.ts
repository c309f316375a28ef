import type { FieldDifference } from '#contracts';
import type { FieldValue, RequestField, RequestFields } from './request-fields.js';

/** With fewer earlier requests nothing is usual. */
export const EARLIER_MIN = 3;
const DIFFERENCES_MAX = 20;
const TEXT_MAX = 100;
/** From this ratio on, a number that is higher than all earlier ones is unusual. */
const TIMES_HIGHER = 3;
/** The same for one that is lower than all earlier ones. */
const TIMES_LOWER = 1 / 5;

/** A number, or a text that is one, such as an amount. `0012` is the number of an account. */
const DECIMAL = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/;

/**
 * What is different in a request from earlier ones of the same operation. Only what differs from all of them counts, and
 * a value only where the earlier ones were mostly the same: a text that is another one each time says nothing.
 * @returns null with too few earlier requests
 */
export function fieldDifferences(
  current: RequestFields,
  earlier: readonly RequestFields[],
): { fields: FieldDifference[]; more: number } | null {
  if (earlier.length < EARLIER_MIN) return null;
  const found = [
    ...Array.from(current, ([key, field]) => differenceOf(key, field, earlier)),
    ...missingFields(current, earlier),
  ].filter((difference) => difference !== null);
  return { fields: found.slice(0, DIFFERENCES_MAX), more: Math.max(0, found.length - DIFFERENCES_MAX) };
}

function differenceOf(key: string, field: RequestField, earlier: readonly RequestFields[]): FieldDifference | null {
  const same = earlier.flatMap((fields) => fields.get(key) ?? []);
  if (same.length === 0) {
    // What is below a new field is new too, and needs no line of its own.
    const isTop = field.parent === null || earlier.some((fields) => fields.has(field.parent!));
    return isTop ? newField(field) : null;
  }
  if (same.length < EARLIER_MIN) return null;
  return unusualCount(field, same) ?? unusualNumber(field, same) ?? newValue(field, same);
}

const newField = ({ pointer, values }: RequestField): FieldDifference => ({
  pointer,
  kind: 'new_field',
  value: values.length === 1 ? shortText(values[0].value) : null,
  usual: null,
  times: null,
});

function missingFields(current: RequestFields, earlier: readonly RequestFields[]): FieldDifference[] {
  const [first, ...others] = earlier;
  return Array.from(first)
    .filter(
      ([key, { parent }]) =>
        !current.has(key) &&
        !key.endsWith('/*') &&
        (parent === null || current.has(parent)) &&
        others.every((fields) => fields.has(key)),
    )
    .map(([key, { pointer }]) => ({
      pointer,
      kind: 'missing_field' as const,
      value: null,
      usual: mostCommon(earlier.flatMap((fields) => fields.get(key)?.values ?? [])),
      times: null,
    }));
}

function unusualCount(field: RequestField, earlier: readonly RequestField[]): FieldDifference | null {
  const counts = earlier.flatMap(({ items }) => items ?? []);
  if (field.items === null || counts.length < EARLIER_MIN) return null;
  const { items, pointer } = field;
  const usual = median(counts);
  const isMany = usual > 0 && items >= TIMES_HIGHER * usual && items > Math.max(...counts);
  const isEmpty = items === 0 && Math.min(...counts) > 0;
  if (!isMany && !isEmpty) return null;
  return { pointer, kind: 'unusual_count', value: String(items), usual: String(usual), times: ratio(items, usual) };
}

function unusualNumber(field: RequestField, earlier: readonly RequestField[]): FieldDifference | null {
  // One number for each earlier request, so that a request with many items counts no more than others.
  const before = earlier.flatMap(({ values }) =>
    values.length > 0 ? [values.map(({ value }) => toNumber(value))] : [],
  );
  if (before.length < EARLIER_MIN || before.flat().some((value) => value === null || value <= 0)) return null;
  const all = before.flat() as number[];
  const usual = median(before.map((values) => Math.max(...(values as number[]))));
  const unusual = field.values
    .map(({ pointer, value }) => ({ pointer, value, number: toNumber(value) }))
    .filter(({ number }) => number !== null && number > 0)
    .find(({ number }) => isFar(number!, usual, all));
  if (unusual === undefined) return null;
  return {
    pointer: unusual.pointer,
    kind: 'unusual_number',
    value: shortText(unusual.value),
    usual: String(usual),
    times: ratio(unusual.number!, usual),
  };
}

const isFar = (number: number, usual: number, all: readonly number[]): boolean =>
  (number >= TIMES_HIGHER * usual && number > Math.max(...all)) ||
  (number <= TIMES_LOWER * usual && number < Math.min(...all));

function newValue(field: RequestField, earlier: readonly RequestField[]): FieldDifference | null {
  const before = earlier.flatMap(({ values }) => values);
  const known = new Set(before.map(({ value }) => identity(value)));
  if (known.size === 0 || known.size > earlier.length / EARLIER_MIN) return null;
  const unknown = field.values.find(({ value }) => !known.has(identity(value)));
  if (unknown === undefined) return null;
  const { pointer, value } = unknown;
  return { pointer, kind: 'new_value', value: shortText(value), usual: mostCommon(before), times: null };
}

/** The value that most of these are, or null. */
function mostCommon(values: RequestField['values']): string | null {
  const counts = new Map<string, { value: FieldValue; count: number }>();
  for (const { value } of values) {
    const known = counts.get(identity(value)) ?? { value, count: 0 };
    counts.set(identity(value), { value, count: known.count + 1 });
  }
  const top = [...counts.values()].find(({ count }) => count * 2 > values.length);
  return top === undefined ? null : shortText(top.value);
}

/** Two values are the same if kind and text are. `1` and `"1"` differ. */
const identity = (value: FieldValue): string => `${typeof value === 'string' ? 'text' : 'other'} ${value}`;

function toNumber(value: FieldValue): number | null {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : null;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** With two digits. */
const ratio = (value: number, usual: number): number | null =>
  usual === 0 ? null : Number((value / usual).toPrecision(2));

function shortText(value: FieldValue): string {
  const text = [...String(value)];
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1).join('')}…` : text.join('');
}
