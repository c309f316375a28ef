import fc from 'fast-check';
import { explainFault } from './json-fault.mjs';
import { parseSafely, type JsonLimits } from './safe-json.mjs';

const LIMITS = { depth: 8, keys: 10, values: 40 };
const read = (text: string, limits: JsonLimits = LIMITS) => parseSafely(Buffer.from(text), limits);
const readFault = (text: string) => {
  const result = read(text);
  return 'fault' in result ? result.fault : null;
};

const countValues = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 1
    : Object.values(value).reduce<number>((sum, entry) => sum + countValues(entry), 1);
const measureDepth = (value: unknown): number =>
  typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(measureDepth));

describe('parseSafely', () => {
  it('accepts exactly the allowed number of values and levels, with any whitespace', () => {
    const layouts = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 12 })), layouts, (value, indent) => {
        fc.pre(!/\\u0000|__proto__|"constructor"|\\ud[89a-f]/i.test(JSON.stringify(value)));
        const text = JSON.stringify(value, null, indent);
        const [count, depth] = [countValues(value), measureDepth(value)];
        const exact = { depth, keys: 1000, values: count };
        // Padded, so that the values are counted before parsing.
        expect(read(text + ' '.repeat(count), exact)).toEqual({ value: JSON.parse(text) });
        expect(read(text + ' '.repeat(count), { ...exact, values: count - 1 })).toMatchObject({
          fault: { kind: 'invalid' },
        });
        expect(read(text + ' '.repeat(count), { ...exact, depth: depth - 1 })).toMatchObject({
          fault: { kind: 'invalid' },
        });
      }),
    );
  });

  it('counts the values before parsing', () => {
    const text = `{"a":[${'[],'.repeat(2_000_000)}1]}`;
    const bytes = Buffer.from(text);
    const before = process.memoryUsage().heapUsed;
    expect(parseSafely(bytes, { depth: 64, keys: 1000, values: 20_000 })).toEqual({
      fault: { kind: 'invalid', message: 'JSON must not have more than 20000 values' },
    });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
  });

  it('accepts exactly the allowed bytes besides white space', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.json({ maxDepth: 5 })), (value) => {
        fc.pre(!/\\u0000|__proto__|"constructor"|\\ud[89a-f]/i.test(JSON.stringify(value)));
        const text = JSON.stringify(value);
        const [nonBlankBytes, padded] = [Buffer.byteLength(text), `${text.slice(0, -1)}\n ${' '.repeat(text.length)}}`];
        const roomy = { depth: 64, keys: 1000, values: 1000 };
        expect(read(padded, { ...roomy, nonBlankBytes })).toEqual({ value });
        expect(read(padded, { ...roomy, nonBlankBytes: nonBlankBytes - 1 })).toMatchObject({
          fault: { kind: 'invalid', message: expect.stringContaining('besides white space') as string },
        });
      }),
    );
  });

  it('reads JSON between much white space as without it, where that is limited', () => {
    const blank = fc
      .array(fc.constantFrom(' ', '\n', '\t', '\r'), { minLength: 1, maxLength: 9 })
      .map((run) => run.join(''));
    const tokens = fc.constantFrom(
      '1',
      '-',
      'true',
      'x',
      '"a  b"',
      '"\\"  "',
      '"',
      '{"a":[',
      ']',
      '}',
      ',',
      ':',
      '\u0001',
      '\u00a0',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(tokens),
          fc.json().map((text) => ['{"a":', text, '}']),
        ),
        blank,
        (parts, run) => {
          const text = parts.join(run);
          const limits = { depth: 64, keys: 1000, values: 1000 };
          const plain = read(text, limits);
          const squeezed = read(text + ' '.repeat(4 * text.length + 2), {
            ...limits,
            nonBlankBytes: Math.max(1, Buffer.byteLength(text)),
          });
          if ('value' in plain) expect(squeezed).toEqual(plain);
          // An unterminated string would be too long here.
          else expect(squeezed).toHaveProperty('fault');
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['[]', { kind: 'no-object' }],
    ['null', { kind: 'no-object' }],
    ['{"a":"\\u0000"}', { kind: 'invalid', message: 'JSON must not contain NUL characters' }],
    ['{"a":"\\ud800"}', { kind: 'invalid', message: 'JSON must not contain unpaired surrogates' }],
    ['{"__proto__":1}', { kind: 'invalid', message: 'JSON must not have a key __proto__' }],
    ['{"constructor":1}', { kind: 'invalid', message: 'JSON must not have a key constructor' }],
    ['{"a":"\\\\"}', null],
    ['{"a":"\\\\\\"[[[[[[[[[[,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"}', null],
  ])('reads or refuses %s', (text, fault) => {
    expect(readFault(text)).toEqual(fault);
  });
});

describe('explainFault', () => {
  it.each([
    ['', 'the text ends where a value is expected at line 1, column 1 (position 0)'],
    ['{"a":1,}', 'expected a name in double quotes at line 1, column 8 (position 7)'],
    ['{"a" 1}', 'expected ":" at line 1, column 6 (position 5)'],
    ["{'a':1}", 'expected a name in double quotes at line 1, column 2 (position 1)'],
    ['{"a":1\n "b":2}', 'expected "," or "}" at line 2, column 2 (position 8)'],
    ['{"a":[1 2]}', 'expected "," or "]" at line 1, column 9 (position 8)'],
    ['{"a":NaN}', 'expected a value at line 1, column 6 (position 5)'],
    ['{"a":"x', 'unterminated string at line 1, column 6 (position 5)'],
    [`{"a":"${'\\"b\\u0041'.repeat(3000)}\\x"}`, 'invalid escape sequence at line 1, column 27007 (position 27006)'],
    ['{"a":"\\x"}', 'invalid escape sequence at line 1, column 7 (position 6)'],
    ['{"a":"\n"}', 'unescaped control character in a string at line 1, column 7 (position 6)'],
    ['{}{}', 'unexpected text after the end of the JSON at line 1, column 3 (position 2)'],
  ])('explains %j: %s', (text, explanation) => {
    expect(explainFault(text)).toBe(explanation);
  });

  it('finds the line without creating a list of all lines', () => {
    const text = `{${'\n'.repeat(5_000_000)}x`;
    const before = process.memoryUsage().heapUsed;
    expect(explainFault(text)).toContain('at line 5000001, column 1 (position 5000001)');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  });

  it('gives a position within the text for every text that the parser refuses', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', '\\', '\n', 'x', ':', '-'))
      .map(([text, at, odd]) => text.slice(0, at % (text.length + 1)) + odd + text.slice((at % (text.length + 1)) + 1));
    fc.assert(
      fc.property(fc.oneof(broken, fc.string()), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const explanation = explainFault(text);
        const [, position] = /\(position (\d+)\)$/.exec(explanation)!;
        expect(Number(position)).toBeLessThanOrEqual(text.length);
        expect(explanation.startsWith('not valid JSON')).toBe(isJson);
      }),
      { numRuns: 2000 },
    );
  });
});
