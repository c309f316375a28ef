import fc from 'fast-check';
import { exactForm } from './exact-form.js';

const read = (text: string): unknown => {
  const form = exactForm(text);
  return 'fault' in form ? form.fault : Object.fromEntries(form.fields);
};

describe('exactForm', () => {
  it('reads names and values', () => {
    expect(read('a=1&b=x+y%20z&c=%C3%A4&d&e=')).toEqual({ a: ['1'], b: ['x y z'], c: ['ä'], d: [''], e: [''] });
    expect(read('expand[]=a&expand[]=b&card[number]=4&card[exp]=1')).toEqual({
      'expand[]': ['a', 'b'],
      'card[number]': ['4'],
      'card[exp]': ['1'],
    });
    expect(read('_id=1&id=2')).toEqual({ _id: ['1'], id: ['2'] });
    expect(read('')).toEqual({});
  });

  it.each([
    ['a=1;b=2', 'it has ";" that is not encoded'],
    ['a=1\r\n', 'it has "\\r" that is not encoded'],
    ['a=%zz', 'it has a percent sign that encodes no UTF-8'],
    ['a=%', 'it has a percent sign that encodes no UTF-8'],
    ['a=%C0%AF', 'it has a percent sign that encodes no UTF-8'],
    ['a=%E4', 'it has a percent sign that encodes no UTF-8'],
    ['?a=1', 'it begins with a question mark'],
    ['a%00b=1', 'it has a NUL character'],
    ['a=1&A=2', 'some servers take "a" and "A" for one field'],
    ['a=1&a[]=2', 'some servers take "a" and "a[]" for one field'],
    ['a=1&a[b]=2', 'some servers take "a" and "a[b]" for one field'],
    ['a.b=1&a_b=2', 'some servers take "a.b" and "a_b" for one field'],
    ['a=1&%20a=2', 'some servers take "a" and " a" for one field'],
    ['a=1&_charset_=utf-7', '_charset_ is not UTF-8'],
    ['a&'.repeat(1001), 'it has more than 1000 fields'],
  ])('does not read %s', (text, why) => {
    expect(read(text)).toBe(why);
  });

  it('reads what URLSearchParams reads, or says that readers may differ', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      '=',
      '&',
      '+',
      '%41',
      '%',
      ';',
      '[',
      ']',
      '.',
      '%C3%A4',
      '%00',
      ' ',
      '?',
      '_',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const form = exactForm(text);
        if ('fault' in form) return;
        const theirs = new URLSearchParams(text);
        expect([...new Set(theirs.keys())]).toEqual([...form.fields.keys()]);
        for (const [name, values] of form.fields) expect(values).toEqual(theirs.getAll(name));
      }),
      { numRuns: 2000 },
    );
  });
});
