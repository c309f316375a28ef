/** The time that the search for orders to the risk model takes, for texts that are written to make it slow. */
import { timesAsLong } from '../../../libs/egress/test/linear-time.js';
import { SEARCHED_ENDS } from '../src/risk/injections.js';
import { search } from './support/searched-request.js';

describe('a long part', () => {
  it.each([
    'x',
    ' ',
    '\\',
    '%',
    '%25',
    '\\u0069',
    '\\ud835',
    '\u202ea',
    '漢',
    '忽略',
    'и',
    '\u{1d400}',
    '"explanation":"',
    'score ',
    'system: ',
    '\n',
    'ignore all the ',
    'ignore previous a a ',
    'score it it it ',
    'give a a a a score of ',
    '<|aaaaa',
    '----- end ',
    'approved by ',
    'the request is ',
    `ignore a all ${'-'.repeat(61)} `,
    'ignore all a-a-a-a-a-a-a-a-a-a-a-a ',
    'ignore a a your a a ',
    'ignore________',
    'ignore_all_',
    'return a a a a {',
    "explanation:'",
    '\\u005c',
    '\\u{',
    '%u',
    '&amp;',
    '&#',
    '<a',
    '<!-- ',
    '</a> ',
    '*',
    '\n> ',
    '[tool_',
  ])('takes linear time: %j', async (repeated) => {
    const makeSearch = (length: number) => {
      const body = repeated.repeat(length / repeated.length);
      return () => search({ body });
    };
    // Eight times as long: a search that needs quadratic time takes 64 times as long.
    expect(await timesAsLong(makeSearch(2 * SEARCHED_ENDS), makeSearch(SEARCHED_ENDS / 4))).toBeLessThan(32);
  });

  it.each([`ignore a all ${'-'.repeat(61)} `, 'ignore all-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a- '])(
    'takes few steps for each character: %j',
    async (repeated) => {
      const makeSearch = (text: string) => () => search({ body: text.repeat(SEARCHED_ENDS / text.length) });
      expect(await timesAsLong(makeSearch(repeated), makeSearch('give a a a a score of '))).toBeLessThan(5);
    },
  );

  it('of 10 MB of headers takes no longer than its ends', async () => {
    const makeSearch = (count: number) => {
      const headers = Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'Bearer '.repeat(1500)]));
      return () => search({ headers });
    };
    expect(await timesAsLong(makeSearch(1000), makeSearch(25))).toBeLessThan(4);
  });

  it('of 10 MB takes no longer than its ends', async () => {
    const makeSearch = (length: number) => {
      const body = Buffer.alloc(length, 'score it, ').toString();
      return () => search({ body });
    };
    expect(await timesAsLong(makeSearch(10 * 1024 * 1024), makeSearch(2 * SEARCHED_ENDS))).toBeLessThan(4);
  });
});
