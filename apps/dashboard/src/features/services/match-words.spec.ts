import { matchWords } from './match-words.js';

it.each([
  ['deny', [8, 0, 10], 'It matches 8 of the last 10 requests.'],
  ['deny', [8, 7, 10], 'It matches 1 of the last 10 requests. For 7 others, nobody can tell: they count as matches.'],
  ['limit', [1, 1, 1], 'It matches 0 of the last 1 request. For 1 other, nobody can tell: it counts as a match.'],
  [
    'allow',
    [2, 7, 10],
    'It matches 2 of the last 10 requests. For 7 others, nobody can tell: they don’t count as matches.',
  ],
  [
    'guidance',
    [0, 1, 3],
    'It matches 0 of the last 3 requests. For 1 other, nobody can tell: it doesn’t count as a match.',
  ],
] as const)('matches and undecided requests of %s add up: %j', (effect, [matched, undecided, of], words) => {
  expect(matchWords(effect, { matched, undecided, of })).toBe(words);
});
