import fc from 'fast-check';
import { codePoint, countSuspicions, examine, spelledOut } from './text-safety.js';

const suspicious = (text: string) =>
  examine(text)
    .filter((piece) => piece.suspicion)
    .map((piece) => [codePoint(piece.text), piece.suspicion]);

describe('examine', () => {
  it('neither loses nor adds text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(
          examine(text)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  it.each([
    ['zero width space', 'pay\u200Bpal', [['U+200B', 'hidden']]],
    ['soft hyphen', 'a\u00ADb', [['U+00AD', 'hidden']]],
    ['tag characters, which models read and people do not see', 'hi\u{E0041}', [['U+E0041', 'hidden']]],
    ['escape', '\u001b[31m', [['U+001B', 'hidden']]],
    ['right-to-left override', 'abc\u202Ecba', [['U+202E', 'direction']]],
    [
      'isolates',
      '\u2066x\u2069',
      [
        ['U+2066', 'direction'],
        ['U+2069', 'direction'],
      ],
    ],
    ['a Cyrillic a in a Latin word', 'p\u0430ypal', [['U+0430', 'lookalike']]],
    ['fullwidth letters', '\uFF21', [['U+FF21', 'lookalike']]],
    ['mathematical letters', '\u{1D41A}', [['U+1D41A', 'lookalike']]],
    ['a lone surrogate', 'x\uD800', [['U+D800', 'hidden']]],
  ])('marks %s', (_name, text, expected) => {
    expect(suspicious(text)).toEqual(expected);
  });

  it.each(['plain text\twith\nlines', 'Привет мир', 'Ελληνικά', 'naïve café', '日本語', 'עברית', '👩‍👩‍👧 ❤️ 1️⃣', ''])(
    'marks nothing in ordinary text: %j',
    (text) => {
      expect(suspicious(text)).toEqual([]);
    },
  );

  it('marks a joiner outside an emoji', () => {
    expect(suspicious('a\u200Db')).toEqual([['U+200D', 'hidden']]);
  });
});

it('counts each kind in several texts', () => {
  expect(countSuspicions(['a\u200B\u202E', 'ok', 'p\u0430y'])).toEqual({ hidden: 1, direction: 1, lookalike: 1 });
});

it('spells out invisible characters', () => {
  expect(spelledOut('a\u200Bb')).toBe('a⟦U+200B⟧b');
});
