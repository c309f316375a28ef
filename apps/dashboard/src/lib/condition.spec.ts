import fc from 'fast-check';
import { EFFECTS } from '#contracts/effects';
import { EMPTY_PART, isComplete, NUMBER_TESTS, TEXT_TESTS, toCel, type ConditionPart } from './condition.js';
import { readCondition } from './read-condition.js';

const part = (fields: Partial<ConditionPart>): ConditionPart => ({ ...EMPTY_PART, ...fields });

it.each<[string, Partial<ConditionPart>[]]>([
  ['request.body.amount > 100', [{ field: 'amount', is: '>', value: '100' }]],
  ['double(request.body.amount) <= 50.5', [{ field: 'amount', is: '<=', value: '50.5', isForm: true }]],
  ['double(request.body.amount) == 50.0', [{ field: 'amount', is: '==', value: '50', isForm: true }]],
  ['"b" in request.body["x-y"]', [{ field: 'x-y.b', is: 'present' }]],
  ['request.body.card.currency == "EUR"', [{ field: 'card.currency', is: 'is', value: 'EUR' }]],
  ['request.body["card-type"].name != "x"', [{ field: 'card-type.name', is: 'isNot', value: 'x' }]],
  ['request.body.currency in ["EUR", "USD"]', [{ field: 'currency', is: 'oneOf', value: 'EUR, USD' }]],
  ['request.body.memo.contains("gift")', [{ field: 'memo', is: 'contains', value: 'gift' }]],
  ['request.body.memo.startsWith("gift")', [{ field: 'memo', is: 'begins', value: 'gift' }]],
  ['request.body.contains.contains == 1', [{ field: 'contains.contains', is: '==', value: '1' }]],
  ['request.body.force == true', [{ field: 'force', is: 'true' }]],
  [
    'has(request.body.a.b) && !has(request.body.c)',
    [
      { field: 'a.b', is: 'present' },
      { field: 'c', is: 'absent' },
    ],
  ],
  ['!("x-y" in request.body.a)', [{ field: 'a.x-y', is: 'absent' }]],
  [
    'has(request.query.force) && "true" in request.query.force',
    [{ on: 'query', field: 'force', is: 'is', value: 'true' }],
  ],
  ['"a[]" in request.query && "1" in request.query["a[]"]', [{ on: 'query', field: 'a[]', is: 'is', value: '1' }]],
  ['!has(request.query.force)', [{ on: 'query', field: 'force', is: 'absent' }]],
  ['"money" in effects', [{ on: 'effects', is: 'any', effects: ['money'] }]],
  ['effects.exists(e, e in ["money", "delete"])', [{ on: 'effects', is: 'any', effects: ['money', 'delete'] }]],
  ['effects.all(e, e in ["read", "personalData"])', [{ on: 'effects', is: 'only', effects: ['read', 'personalData'] }]],
  ['firstTime && request.body.a < -1', [{ on: 'firstTime' }, { field: 'a', is: '<', value: '-1' }]],
  ['graphql != null && graphql.type == "mutation"', [{ on: 'mutation' }]],
  ['', []],
])('%s is a simple condition', (condition, parts) => {
  expect(readCondition(condition)).toEqual(parts.map(part));
  expect(toCel(readCondition(condition)!)).toBe(condition);
});

it('reads other spaces and quotes, too', () => {
  expect(readCondition("request . body.amount>100&& request.body.currency=='EUR'")).toEqual(
    readCondition('request.body.amount > 100 && request.body.currency == "EUR"'),
  );
});

it.each([
  'request.body.amount > 100 || firstTime',
  'request.body.items[0].amount > 1',
  '!(request.body.amount > 1)',
  'request.body.amount > request.body.limit',
  'request.body.amount > 1u',
  'request.body.amount > 0x1F',
  'request.body.amount > 1e3',
  'request.body.a == r"x"',
  'request.body.a == """x"""',
  'request.body.a == "\\x41"',
  'request.body.a == "a" // why',
  'request.body["a.b"] > 1',
  'request.body == null',
  'request.query.a == "1"',
  '"magic" in effects',
  'effects.exists(e, e in [])',
  'effects.exists(x, x in ["money"])',
  'request.body.a in ["a, b"]',
  'request.body.a == ""',
  'rpc.calls.exists(c, c.tool == "issue_credit")',
  'request.body.amount > 100 &&',
  '&& firstTime',
  'firstTime firstTime',
])('%s is shown as CEL, so that nothing of it is lost', (condition) => {
  expect(readCondition(condition)).toBeNull();
});

describe('what the editor writes', () => {
  const name = fc.oneof(fc.stringMatching(/^[a-z]\w{0,5}$/), fc.string({ minLength: 1 })).filter((n) => !/\./.test(n));
  const field = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('.'));
  const value = fc.string({ minLength: 1 });
  const parts = fc.oneof(
    fc.record({
      field,
      is: fc.constantFrom(...NUMBER_TESTS),
      value: fc.double({ noNaN: true, min: -1e6, max: 1e6 }).map((n) => n.toFixed(2)),
      isForm: fc.boolean(),
    }),
    fc.record({ field, is: fc.constantFrom(...TEXT_TESTS.filter((test) => test !== 'oneOf')), value }),
    fc.record({ field, is: fc.constantFrom('true', 'false', 'present', 'absent') }),
    fc.record({ on: fc.constant('query'), field: name, is: fc.constant('is'), value }),
    fc.record({ on: fc.constant('query'), field: name, is: fc.constantFrom('present', 'absent') }),
    fc.record({
      on: fc.constant('effects'),
      is: fc.constantFrom('any', 'only'),
      effects: fc.subarray([...EFFECTS], { minLength: 1 }),
    }),
    fc.constantFrom({ on: 'firstTime' }, { on: 'mutation' }),
  );

  it('opens in the same fields again', () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 4 }), (drawn) => {
        const written = drawn.map((each) => part(each as Partial<ConditionPart>));
        fc.pre(written.every(isComplete));
        expect(readCondition(toCel(written))).toEqual(written);
      }),
    );
  });

  it('is read without an error, whatever it is', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(() => readCondition(text)).not.toThrow()));
  });
});
