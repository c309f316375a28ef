import { timesAsLong } from '../../../../libs/egress/test/linear-time.js';
import { canonicalForm } from './canonical-form.js';

it.each([
  ['a=b=c&d', 'a=b%3dc&d='],
  ['=b&=&', '=b'],
  ['a+b=c%2Bd', 'a%20b=c%2bd'],
  ['%+=%2+', '%25%20=%252%20'],
])('spells %s in one way', (form, spelled) => {
  expect(canonicalForm(form, false)).toBe(spelled);
});

// A piece for each of them took ten times as long.
it.each(['=', '+'])('spells a megabyte of %s like one of any other sign', async (sign) => {
  const spell = (each: string) => () => canonicalForm(`a${each.repeat(1_000_000)}`, false);
  expect(await timesAsLong(spell(sign), spell('!'))).toBeLessThan(4);
});
