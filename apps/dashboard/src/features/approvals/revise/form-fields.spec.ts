import fc from 'fast-check';
import { toFormFields, toFormText } from './form-fields.js';
import { withValue } from './json-fields.js';

it('lists the fields with their names, in the order of the text', () => {
  const fields = toFormFields('amount=1.50&note=two+words%21&items%5B%5D=a&items%5B%5D=b&empty=')!;
  expect(fields.map(({ path, value }) => [path, value])).toEqual([
    ['amount', '1.50'],
    ['note', 'two words!'],
    ['items[] (1)', 'a'],
    ['items[] (2)', 'b'],
    ['empty', ''],
  ]);
});

it.each([
  ['no field', ''],
  ['a field without =', 'a=1&b'],
  ['a broken escape', 'a=%zz'],
  ['bytes that are no UTF-8', 'a=%ff'],
  ['another separator', 'a=1;b=2'],
  ['line breaks', 'a=1\nb=2'],
  ['too many fields', Array.from({ length: 41 }, (_, at) => `f${at}=1`).join('&')],
])('leaves a body with %s to the text', (_case, text) => {
  expect(toFormFields(text)).toBeNull();
});

it('changes one value and nothing else', () => {
  const pairs = fc.array(fc.tuple(fc.string(), fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(pairs, fc.nat(), fc.string({ unit: 'grapheme' }), (given, pick, to) => {
      const text = new URLSearchParams(given).toString();
      const fields = toFormFields(text)!;
      expect(fields.map(({ value }) => value)).toEqual(given.map(([, value]) => value));
      const at = pick % fields.length;
      const changed = withValue(text, fields[at]!, toFormText(to, { ...fields[at]!, value: '' }));
      expect([...new URLSearchParams(changed)]).toEqual(
        given.map(([name, value], index) => [name, index === at ? to : value]),
      );
    }),
  );
});

it('keeps the line breaks of a value', () => {
  const [field] = toFormFields('note=one%0D%0Atwo')!;
  expect(toFormText('one\nthree', field!)).toBe('one%0D%0Athree');
});
