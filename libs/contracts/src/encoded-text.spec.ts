import fc from 'fast-check';
import { decodedText } from './encoded-text.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const textOf = (value: string): string | null => decodedText(value)?.text ?? null;

describe('the text of a value in base64', () => {
  /** Every text with letters of both cases in its base64 can be read. */
  const text = fc
    .string({ unit: 'grapheme', minLength: 9, maxLength: 300 })
    .filter((each) => !/[^\P{Cc}\t\n\r]/u.test(each) && /[a-z]/.test(base64(each)) && /[A-Z]/.test(base64(each)));

  it('is what was encoded, with either alphabet, with and without padding, in lines, and in a data URL', () => {
    fc.assert(
      fc.property(text, (each) => {
        const encoded = base64(each);
        const spellings = [
          encoded,
          base64url(each),
          encoded.replace(/=+$/, ''),
          `${encoded.replace(/.{76}/g, '$&\r\n')}\n`,
          `data:text/plain;charset=utf-8;base64,${encoded}`,
        ];
        for (const value of spellings) expect(decodedText(value)).toEqual({ text: each, isWhole: true });
      }),
    );
  });

  it('is read of short values where padding shows that they are base64', () => {
    expect(textOf(base64('hunter2'))).toBe('hunter2');
    expect(textOf(base64('admin'))).toBe('admin');
    expect(textOf(base64('abc'))).toBeNull();
  });

  it.each([
    ['an ordinary word', 'Authorization'],
    ['an identifier', 'cus_NffrFeUfNV2Hib'],
    ['a digest', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).toString('base64')],
    ['a text with a control character', base64('rm -rf /\u0007 and more')],
    ['a text with a NUL', base64('Hello World\u0000')],
    ['two alphabets in one', `${base64('Hello World?>')}+_aa`],
    ['padding in the middle', `${base64('hunter2')}${base64('hunter2')}`],
    ['too much padding', `${base64('Hello World')}=`],
    ['a length that no bytes have', `${base64('Hello World!')}a`],
    ['blanks', base64('Hello World, hello').replace('G', ' G')],
    ['an empty text', ''],
  ])('is not made of %s', (_what, value) => {
    expect(textOf(value)).toBeNull();
  });

  it('is the same for no two values that differ in more than their spelling', () => {
    // The last character has bits that no byte has.
    const encoded = base64('hunter2');
    const others = Array.from('ghijklmn', (last) => `${encoded.slice(0, -3)}${last}==`).filter(
      (each) => each !== encoded,
    );
    expect(others.map(textOf)).toEqual(others.map(() => null));
  });

  it('ends after 64 kB, and says so', () => {
    const found = decodedText(base64('Grüße, '.repeat(200_000)))!;
    expect(found.isWhole).toBe(false);
    expect(Buffer.byteLength(found.text)).toBeLessThanOrEqual(64 * 1024);
    expect('Grüße, '.repeat(200_000).startsWith(found.text)).toBe(true);
    expect(decodedText(base64('Hello '.repeat(10_000)))!.isWhole).toBe(true);
  });
});
