import { placeOf } from './place-of.js';

it('finds the place of a problem in the text', () => {
  expect(placeOf('line 1, column 3: unexpected', 'a b c')).toBe(2);
  expect(placeOf('line 2, column 2: unexpected', 'abc\ndef')).toBe(5);
  expect(placeOf('line 9, column 9: unexpected end', 'abc')).toBe(3);
  expect(placeOf('has at most 1,000 characters', 'abc')).toBeNull();
});
