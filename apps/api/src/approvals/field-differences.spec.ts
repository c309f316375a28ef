import fc from 'fast-check';
import type { FieldDifference } from '#contracts';
import { requestContent } from '../request-reading/request-content.js';
import { fieldDifferences } from './field-differences.js';
import { requestFields, type RequestFields } from './request-fields.js';

const fieldsOf = (body: unknown, query = ''): RequestFields =>
  read({ 'content-type': 'application/json' }, JSON.stringify(body), query)!;
function read(headers: Record<string, string>, body: string | null, query = ''): RequestFields | null {
  const targetUrl = `https://api.example.com/v1/payouts${query}`;
  return requestFields(targetUrl, requestContent({ method: 'POST', targetUrl, headers, body }));
}
const compare = (current: unknown, ...earlier: unknown[]) =>
  fieldDifferences(
    fieldsOf(current),
    earlier.map((body) => fieldsOf(body)),
  );
const found = (current: unknown, ...earlier: unknown[]): Partial<FieldDifference>[] =>
  compare(current, ...earlier)!.fields.map((each) =>
    Object.fromEntries(Object.entries(each).filter(([, value]) => value !== null)),
  );

describe('what is different from earlier requests', () => {
  it('is unknown with fewer than three of them', () => {
    expect(compare({ amount: 1200 }, { amount: 40 }, { amount: 40 })).toBeNull();
  });

  it('is nothing for an equal request', () => {
    const body = { amount: 40, to: { account: 'acc_1', tags: ['a', 'b'] }, note: null };
    expect(found(body, body, body, body)).toEqual([]);
  });

  it('is a number far from the median, and beyond all of them', () => {
    expect(found({ amount: 1200 }, { amount: 30 }, { amount: 40 }, { amount: 50 })).toEqual([
      { pointer: '/body/amount', kind: 'unusual_number', value: '1200', usual: '40', times: 30 },
    ]);
    expect(found({ keepDays: 1 }, { keepDays: 365 }, { keepDays: 365 }, { keepDays: 370 })).toEqual([
      { pointer: '/body/keepDays', kind: 'unusual_number', value: '1', usual: '365', times: 0.0027 },
    ]);
    expect(found({ amount: '90.00' }, { amount: '20.00' }, { amount: '30.00' }, { amount: '25.50' })).toEqual([
      { pointer: '/body/amount', kind: 'unusual_number', value: '90.00', usual: '25.5', times: 3.5 },
    ]);
  });

  it('is no number that one of them reached, or that is near the usual', () => {
    expect(found({ amount: 400 }, { amount: 30 }, { amount: 40 }, { amount: 500 })).toEqual([]);
    expect(found({ amount: 60 }, { amount: 30 }, { amount: 40 }, { amount: 50 })).toEqual([]);
  });

  it('is a value where they were mostly the same', () => {
    expect(found({ account: 'acc_9' }, { account: 'acc_1' }, { account: 'acc_1' }, { account: 'acc_1' })).toEqual([
      { pointer: '/body/account', kind: 'new_value', value: 'acc_9', usual: 'acc_1' },
    ]);
    expect(found({ live: true }, { live: false }, { live: false }, { live: false })).toEqual([
      { pointer: '/body/live', kind: 'new_value', value: 'true', usual: 'false' },
    ]);
    expect(found({ iban: '0012' }, { iban: '0013' }, { iban: '0013' }, { iban: '0013' })).toMatchObject([
      { kind: 'new_value', value: '0012' },
    ]);
  });

  it('is no value where they differ each time, such as a note', () => {
    expect(found({ note: 'd' }, { note: 'a' }, { note: 'b' }, { note: 'c' })).toEqual([]);
  });

  it('is a field that none of them has, once for all below it', () => {
    const usual = { amount: 40 };
    expect(found({ amount: 40, fee: 5 }, usual, usual, usual)).toEqual([
      { pointer: '/body/fee', kind: 'new_field', value: '5' },
    ]);
    expect(found({ amount: 40, 'a/b': { c: { d: 1 } } }, usual, usual, usual)).toEqual([
      { pointer: '/body/a~1b', kind: 'new_field' },
    ]);
  });

  it('is a field that all of them have, and this one has not', () => {
    const usual = { amount: 40, filter: { id: 7 } };
    expect(found({ amount: 40 }, usual, usual, usual)).toEqual([{ pointer: '/body/filter', kind: 'missing_field' }]);
    expect(found({ amount: 40, filter: {} }, usual, usual, usual)).toEqual([
      { pointer: '/body/filter/id', kind: 'missing_field', usual: '7' },
    ]);
    expect(found({ amount: 40 }, usual, usual, { amount: 40 })).toEqual([]);
  });

  it('is a list with many more items, an empty one, and the first item of one that was always empty', () => {
    const usual = { ids: [1, 2], bcc: [] };
    expect(found({ ids: [1, 2, 1, 2, 1, 2, 1], bcc: [] }, usual, usual, usual)).toEqual([
      { pointer: '/body/ids', kind: 'unusual_count', value: '7', usual: '2', times: 3.5 },
    ]);
    expect(found({ ids: [], bcc: [] }, usual, usual, usual)).toEqual([
      { pointer: '/body/ids', kind: 'unusual_count', value: '0', usual: '2', times: 0 },
    ]);
    expect(found({ ids: [1, 2], bcc: ['eve@example.com'] }, usual, usual, usual)).toEqual([
      { pointer: '/body/bcc/0', kind: 'new_field', value: 'eve@example.com' },
    ]);
  });

  it('points to the item of a list that differs', () => {
    const usual = { items: [{ price: 4 }, { price: 5 }] };
    expect(found({ items: [{ price: 4 }, { price: 50 }] }, usual, usual, usual)).toMatchObject([
      { pointer: '/body/items/1/price', kind: 'unusual_number', times: 10 },
    ]);
  });

  it('reads queries and forms like objects', () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const usual = read(type, 'amount=40&to=a&to=b', '?dry=1')!;
    const now = read(type, 'amount=400&to=a&to=c')!;
    expect(fieldDifferences(now, [usual, usual, usual])!.fields.map(({ pointer, kind }) => [pointer, kind])).toEqual([
      ['/body/amount', 'unusual_number'],
      ['/query', 'missing_field'],
    ]);
  });

  it('is unknown for a body that is text, that servers read differently, or that has too many values', () => {
    expect(read({ 'content-type': 'text/plain' }, 'hello')).toBeNull();
    expect(read({ 'content-type': 'application/json' }, '{"a":1,"a":2}')).toBeNull();
    expect(read({ 'content-type': 'application/json' }, JSON.stringify(Array(6000).fill(1)))).toBeNull();
    expect(read({}, null)).toEqual(new Map());
  });

  it('names at most 20, and counts the others', () => {
    const now = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, index]));
    const { fields, more } = compare(now, {}, {}, {})!;
    expect([fields.length, more]).toEqual([20, 10]);
  });

  it('shortens long values', () => {
    const [{ value }] = compare({ to: 'x'.repeat(500) }, { to: 'a' }, { to: 'a' }, { to: 'a' })!.fields;
    expect(value).toBe(`${'x'.repeat(99)}…`);
  });

  const bodies = fc.dictionary(
    fc.constantFrom('a', 'b', 'c/d', '*'),
    fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null), fc.array(fc.integer({ min: 1, max: 9 }))),
  );
  it('is nothing for a request that was made before, and points at what is there or was', () => {
    fc.assert(
      fc.property(fc.array(bodies, { minLength: 3, maxLength: 10 }), bodies, (earlier, now) => {
        const before = earlier.map((body) => fieldsOf(body));
        const again = fieldDifferences(before[0], before)!;
        expect(again.fields).toEqual([]);
        const pointers = [fieldsOf(now), ...before].flatMap((fields) =>
          Array.from(fields.values()).flatMap(({ pointer, values }) => [
            pointer,
            ...values.map((each) => each.pointer),
          ]),
        );
        for (const { pointer } of fieldDifferences(fieldsOf(now), before)!.fields) expect(pointers).toContain(pointer);
      }),
    );
  });
});
