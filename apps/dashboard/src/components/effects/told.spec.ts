import { inOrder, toldEffects } from './told.js';

const effects = (...words: Parameters<typeof toldEffects>[0][number]['effect'][]) =>
  words.map((effect) => ({ effect }));

it('tells the strongest effect first, and that it changes something only where nothing else says so', () => {
  expect(toldEffects(effects('write', 'money', 'delete'))).toEqual(['delete', 'money']);
  expect(toldEffects(effects('personalData', 'read'))).toEqual(['personalData']);
  expect(toldEffects(effects('write'))).toEqual(['write']);
  expect(toldEffects([])).toEqual([]);
});

it('keeps every effect in the list with the reasons', () => {
  expect(inOrder(effects('write', 'money')).map(({ effect }) => effect)).toEqual(['money', 'write']);
});
