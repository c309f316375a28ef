import { emailsIn, isEmail } from './emails.js';

it('reads addresses that are separated in any usual way, each once', () => {
  expect(emailsIn(' ana@x.org, bo@x.org;cy@x.org\n<di@x.org>  ANA@x.org ')).toEqual([
    'ana@x.org',
    'bo@x.org',
    'cy@x.org',
    'di@x.org',
  ]);
  expect(emailsIn(' \n')).toEqual([]);
});

it.each([
  ['ana@example.com', true],
  ['ana.b+c@mail.example.com', true],
  ['ana', false],
  ['ana@example', false],
  ['ana@@example.com', false],
  ['ana@example.', false],
])('takes %s as an address: %s', (text, is) => {
  expect(isEmail(text)).toBe(is);
});
