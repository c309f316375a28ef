import fc from 'fast-check';
import { effects } from '../../test/support/classified.js';
import { FIELD_RULES, NAMES_ACT, STATE_NAMES } from './field-words.js';
import { spellingsOf } from './spellings.js';

/** Letters that some server takes for the plain one. */
const ALIKE: Record<string, string[]> = { s: ['ſ', 'ｓ'], k: ['K'], i: ['ı', 'í'], o: ['ｏ', 'o\u0301'], a: ['ａ'] };
const spelled = (word: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...Array.from(word, (letter) => fc.constantFrom(letter, letter.toUpperCase(), ...(ALIKE[letter] ?? []))),
      fc.constantFrom('', '\u00ad'),
    )
    .map((letters) => letters.join(''));
/** A name of a table, as some API may write it. */
const written = (names: readonly string[]): fc.Arbitrary<{ name: string; as: string }> =>
  fc
    .constantFrom(...names)
    .chain((name) =>
      fc
        .constantFrom('-', '_', ' ', '', '.')
        .chain((mark) =>
          spelled(name.replaceAll('-', '\0')).map((text) => ({ name, as: text.replaceAll('\0', mark) })),
        ),
    );

const VALUES = {
  on: true,
  off: false,
  text: 'x',
  filled: 5,
  address: 'https://example.com/x',
  url: 'https://a.example',
  list: ['a', 'b', 'c'],
};

describe('a name has its effect however it is spelled', () => {
  it.each(FIELD_RULES.map((rule) => [rule.says, rule] as const))('that %s', (_says, rule) => {
    fc.assert(
      fc.property(written([...rule.names]), ({ as }) => {
        const found = effects('PATCH /things/7', { body: { [as]: VALUES[rule.value] } }).split(' ');
        expect(found).toEqual(expect.arrayContaining([...rule.effects]));
      }),
      { numRuns: 300 },
    );
  });

  it('and so has a name that names the act', () => {
    fc.assert(
      fc.property(written([...NAMES_ACT]), spelled('delete'), ({ as }, value) => {
        expect(effects('POST /things', { body: { [as]: value } })).toContain('delete');
        expect(effects(`POST /things?${new URLSearchParams({ [as]: value }).toString()}`)).toContain('delete');
      }),
    );
  });

  it('and a state', () => {
    fc.assert(
      fc.property(written([...STATE_NAMES]), spelled('public'), ({ as }, value) => {
        expect(effects('PATCH /things/7', { body: { [as]: value } })).toContain('publishing');
      }),
    );
  });
});

it.each([{ 'roles.0': 'admin' }, { $set: { 'a.role': 'x' } }, { 'x[role]': 'admin' }])(
  'finds a name in a name: %j',
  (body) => {
    expect(effects('PATCH /things/7', { body })).toContain('permissions');
  },
);

it('keeps the words as they are written, and adds those of the folded name', () => {
  expect(spellingsOf('isAdmin')).toEqual([['is', 'admin'], ['isadmin']]);
  expect(spellingsOf('is_admin')).toEqual([['is', 'admin']]);
  expect(spellingsOf('paſſword')).toEqual([['paſſword'], ['password']]);
});

it('lowers nothing for a name that is a label only for some servers', () => {
  const operation = { path: '/keys/{id}', summary: 'Update a key', fields: ['name', 'nAme'] };
  expect(effects('PATCH /keys/7', { operation, body: { name: 'x' } })).toBe('write');
  expect(effects('PATCH /keys/7', { operation, body: { nAme: 'x' } })).toContain('credentials');
});
