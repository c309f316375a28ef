import fc from 'fast-check';
import { hexRow, isShort, readBody, textLines } from './body.js';

describe('readBody', () => {
  it('counts bytes, not characters', () => {
    expect(readBody('é', undefined).bytes).toHaveLength(2);
  });

  it('decodes base64 to bytes, and to text only if the bytes are text', () => {
    expect(readBody('/9g=', 'base64')).toEqual({ bytes: new Uint8Array([0xff, 0xd8]), text: null });
    expect(readBody('aGk=', 'base64').text).toBe('hi');
  });
});

describe('isShort', () => {
  it.each([
    ['a small object', '{"plan":"pro","seats":3}', true],
    ['one with as many lines', JSON.stringify([1, 2, 3, 4, 5, 6, 7]), true],
    ['one line more, deep inside', JSON.stringify({ a: { b: [1, 2, 3, 4, 5, 6] } }), false],
    ['a form', 'plan=pro&seats=3', true],
    ['a text of many lines', 'line\n'.repeat(8), false],
    ['one long line', 'x'.repeat(401), false],
  ])('of %s', (_name, body, expected) => {
    expect(isShort(body, undefined)).toBe(expected);
  });

  it('is false for bytes that are not text', () => {
    expect(isShort('/9g=', 'base64')).toBe(false);
  });
});

describe('textLines', () => {
  it('keeps all text and splits no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 12 }), (text, width) => {
        const lines = textLines(text.replaceAll('\n', ''), width);
        expect(lines.join('')).toBe(text.replaceAll('\n', ''));
        for (const line of lines) expect(line.isWellFormed()).toBe(true);
      }),
    );
    expect(textLines('a\n\nbcd', 2)).toEqual(['a', '', 'bc', 'd']);
  });
});

it('formats a hex row with offset and characters', () => {
  expect(hexRow(new Uint8Array([0x41, 0x00, 0x7f, 0x42]), 0, 4)).toBe('000000  41 00 7f 42  A··B');
  expect(hexRow(new Uint8Array([1, 2, 0x43]), 1, 2)).toBe('000002  43     C');
});
