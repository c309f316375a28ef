import { knownFields, knownSums } from './known-fields.js';

const bodies = (...texts: (string | null)[]) => texts.map((body) => ({ body }));

it('finds the fields of JSON and of forms, with their kinds', () => {
  expect(
    knownFields(bodies('{"amount":5,"card":{"country":"DE","live":true},"items":[1]}', 'charge=ch_1&sum=420')),
  ).toEqual([
    { name: 'amount', kind: 'number', isForm: false },
    { name: 'card.country', kind: 'text', isForm: false },
    { name: 'card.live', kind: 'truth', isForm: false },
    { name: 'charge', kind: 'text', isForm: true },
    { name: 'sum', kind: 'number', isForm: true },
  ]);
});

it('reads a field of forms as a text, whatever the other bodies are', () => {
  const field = { name: 'amount', kind: 'number', isForm: true };
  expect(knownFields(bodies('{"amount":5}', 'amount=5'))).toEqual([field]);
  expect(knownFields(bodies('amount=5', '{"amount":5}'))).toEqual([field]);
});

it('has nothing to offer from other bodies', () => {
  expect(
    knownFields([...bodies(null, '', '{"a":', 'hello', '<a b="c"/>'), { body: 'YQ==', bodyEncoding: 'base64' }]),
  ).toEqual([]);
});

it('offers numbers as sums, amounts first', () => {
  expect(
    knownSums(bodies('{"id":7,"amount":5,"line":{"net-price":2},"name":"x"}', 'charge=ch_1&units=3&total=4.20')),
  ).toEqual([
    'request.body.amount',
    'request.body.line["net-price"]',
    'double(request.body.total)',
    'request.body.id',
    'double(request.body.units)',
  ]);
});
