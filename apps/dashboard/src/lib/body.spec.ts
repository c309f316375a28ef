import fc from 'fast-check';
import { hexRow, isShort, readBody, textBlocks } from './body.js';

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

describe('textBlocks', () => {
  it('keeps all text, splits no character, and knows where each block is', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constant('\n'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })),
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 2, max: 12 }), (all, lines, width) => {
        const blocks = textBlocks(all, lines, width);
        let end = 0;
        for (const block of blocks) {
          expect(block.from).toBe(end);
          expect([block.text, `${block.text}\n`]).toContain(all.slice(block.from, block.to));
          expect(block.text.split('\n').length).toBeLessThanOrEqual(lines + 1);
          expect(block.text.isWellFormed()).toBe(true);
          end = block.to;
        }
        expect(end).toBe(all.length);
      }),
    );
    expect(textBlocks('a\n\nbcd', 1, 2).map(({ text }) => text)).toEqual(['a', '', 'bc', 'd']);
    expect(textBlocks('', 1, 2)).toHaveLength(1);
  });
});

it('formats a hex row with offset and characters', () => {
  expect(hexRow(new Uint8Array([0x41, 0x00, 0x7f, 0x42]), 0, 4)).toBe('000000  41 00 7f 42  A··B');
  expect(hexRow(new Uint8Array([1, 2, 0x43]), 1, 2)).toBe('000002  43     C');
});
