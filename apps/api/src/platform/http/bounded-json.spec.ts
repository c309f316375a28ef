import { parseBounded } from './bounded-json.js';

/** The list counts too. */
const list = (values: number): string => `[${'1,'.repeat(values - 2)}1]`;

describe('parseBounded', () => {
  afterEach(() => jest.restoreAllMocks());

  it('parses text with exactly the allowed number of values', () => {
    expect(parseBounded(list(100_000))).toEqual({ value: Array(99_999).fill(1) });
    expect(parseBounded('null')).toEqual({ value: null });
  });

  it.each([
    ['values', list(100_001)],
    ['lists', `[${'[],'.repeat(1_000_000)}[]]`],
    ['levels', `${'['.repeat(100_001)}${']'.repeat(100_001)}`],
    ['values and a fault at its end', `${list(100_001)}]`],
  ])('does not parse text with more %s', (_what, text) => {
    const parse = jest.spyOn(JSON, 'parse');
    expect(parseBounded(text)).toBe('too many values');
    expect(parse).not.toHaveBeenCalled();
  });

  it.each(['', '{', `[${' '.repeat(200_000)}`, `"${','.repeat(200_000)}`])('says what is no JSON', (text) => {
    expect(parseBounded(text)).toBe('no JSON');
  });
});
