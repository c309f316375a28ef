import fc from 'fast-check';
import { toJsonFields, withValue } from './json-fields.js';

it('lists the values with their paths, in the order of the text', () => {
  const fields = toJsonFields('{ "amount": 1.50, "to": {"name": "Ada", "odd key": null}, "tags": ["a", true] }')!;
  expect(fields.map(({ path, kind, value }) => [path, kind, value])).toEqual([
    ['amount', 'number', '1.50'],
    ['to.name', 'string', 'Ada'],
    ['to["odd key"]', 'literal', 'null'],
    ['tags[0]', 'string', 'a'],
    ['tags[1]', 'literal', 'true'],
  ]);
});

it.each([
  ['no JSON', 'amount=1'],
  ['no value', '{"items":[]}'],
  ['a repeated key', '{"a":1,"a":2}'],
  ['too many values', JSON.stringify(Array.from({ length: 41 }, (_, at) => at))],
])('leaves a body with %s to the text', (_case, text) => {
  expect(toJsonFields(text)).toBeNull();
});

it('changes one value and nothing else', () => {
  fc.assert(
    fc.property(
      fc.object({ maxDepth: 3 }),
      fc.nat(),
      fc.string(),
      fc.constantFrom(0, 1, 3),
      (value, pick, to, indent) => {
        const text = JSON.stringify(value, null, indent);
        const fields = toJsonFields(text);
        fc.pre(fields !== null);
        const at = pick % fields.length;
        const changed = toJsonFields(withValue(text, fields[at]!, JSON.stringify(to)))!;
        expect(changed[at]).toMatchObject({ kind: 'string', value: to });
        const others = (all: typeof changed) =>
          all.filter((_, index) => index !== at).map(({ path, kind, value }) => [path, kind, value]);
        expect(others(changed)).toEqual(others(fields));
      },
    ),
  );
});
