import fc from 'fast-check';
import { exactJson } from './exact-json.js';

const fault = (text: string): string | undefined => {
  const read = exactJson(text);
  return 'fault' in read ? read.fault : undefined;
};
const value = (text: string): unknown => (exactJson(text) as { value: unknown }).value;

describe('exactJson', () => {
  it('reads integers exactly, and other numbers as doubles', () => {
    expect(value('[0, -0, 9007199254740993, -9223372036854775808, 9223372036854775807]')).toEqual([
      0n,
      0n,
      9007199254740993n,
      -9223372036854775808n,
      9223372036854775807n,
    ]);
    expect(value('[1.0, 1e2, -0.5]')).toEqual([1, 100, -0.5]);
  });

  it.each([
    ['9223372036854775808', 'it has an integer of more than 64 bits'],
    ['1'.repeat(1_000_000), 'it has an integer of more than 64 bits'],
    ['1e999', 'it has a number that is too large'],
    ['{"a":1,"a":2}', 'it has the key "a" twice'],
    ['{"a":1,"A":2}', 'it has the key "A" twice'],
    ['{"a":1,"\\u0061":2}', 'it has the key "a" twice'],
    ['{"k":1,"\u212a":2}', 'it has the key "\u212a" twice'],
    ['{"x":[{"b":1,"b":1}]}', 'it has the key "b" twice'],
    ['"\\ud800"', 'it has half of a character'],
    ['"\ud800"', 'it has half of a character'],
    ['"a\\u0000b"', 'it has a NUL character'],
    ['{"a":1} {"a":2}', 'it is no JSON at character 9'],
    ['{"a":1,}', 'it is no JSON at character 8'],
    ['{"a":1}//', 'it is no JSON at character 8'],
    ['{a:1}', 'it is no JSON at character 2'],
    ['{"__proto__":{}}', 'it has the key __proto__'],
    ['NaN', 'it is no JSON at character 1'],
    ['\ufeff{}', 'it is no JSON at character 1'],
    ['', 'it is no JSON at character 1'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'it is nested deeper than 64 levels'],
    [`[${'1,'.repeat(100_000)}1]`, 'it has more than 100000 values'],
  ])('does not read %s', (text, why) => {
    expect(fault(text)).toBe(why);
  });

  it('keeps names that objects of JavaScript have', () => {
    const read = value('{"constructor":2,"toString":3}') as object;
    expect(Object.entries(read)).toEqual([
      ['constructor', 2n],
      ['toString', 3n],
    ]);
    expect(Object.getPrototypeOf(read)).toBeNull();
  });

  it('reads what JSON.parse reads, or says that readers may differ', () => {
    const plain = (read: unknown): unknown =>
      JSON.parse(JSON.stringify(read, (_key, each: unknown) => (typeof each === 'bigint' ? Number(each) : each)));
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const read = exactJson(text);
        if ('fault' in read) expect(read.fault).toMatch(/twice|64 bits|too large|NUL|half|__proto__/);
        else expect(plain(read.value)).toEqual(plain(JSON.parse(text)));
      }),
    );
  });

  it('takes no text for JSON that JSON.parse does not take', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ':',
      ',',
      '1',
      '-',
      '.',
      'e',
      'a',
      'null',
      'true',
      ' ',
      '\n',
      '\\u0061',
      '\u0001',
      '/*',
      '0',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const read = exactJson(text);
        expect(
          'fault' in read ? !isJson || /twice|64 bits|too large|NUL|half|__proto__/.test(read.fault) : isJson,
        ).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
