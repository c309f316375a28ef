import fc from 'fast-check';
import { effects } from '../../test/support/classified.js';

const type = 'application/xml';
const found = (body: string): string => effects('PUT /things/7', { type, body });

/** What readers of XML leave out, or read as the plain text. */
const between = fc.constantFrom('', '<!-- a -->', '<!---->', '<!-- > <x> -->');
const letter = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(text, `&#${text.charCodeAt(0)};`, `&#x${text.charCodeAt(0).toString(16)};`, `<![CDATA[${text}]]>`);
const spelled = (text: string): fc.Arbitrary<string> =>
  fc.tuple(...Array.from(text, (each) => fc.tuple(between, letter(each)))).map((all) => all.flat().join(''));

it('reads a value however it is spelled', () => {
  fc.assert(
    fc.property(spelled('true'), between, (value, before) => {
      expect(found(`<thing>${before}<public>${before}${value}</public></thing>`)).toContain('publishing');
    }),
  );
});

it('reads attributes, and what stands behind a comment that is not closed', () => {
  expect(found('<thing public="true"/>')).toContain('publishing');
  expect(found("<thing a='1' role = 'admin'>x</thing>")).toContain('permissions');
  expect(found('<a><!-- <role>admin</role></a>')).toContain('permissions');
});

it.each(['<!DOCTYPE a [<!ENTITY x "true">]><a><public>&x;</public></a>', '<?xml version="1.0" encoding="utf-7"?><a/>'])(
  'calls what only its reader sees unclear: %s',
  (body) => {
    expect(found(body)).toContain('unclear');
  },
);

it.each(['<!--', '<![CDATA[', '<a ', '<a b="', '&#1;', '<'])('reads a long hostile text in linear time: %s', (part) => {
  expect(found(`<a>${part.repeat(150_000 / part.length)}`)).toContain('write');
});
