import fc from 'fast-check';
import { plainSentence, plainText } from './plain-text.js';

it.each([
  ['**Deletes** a `pod`', 'Deletes a pod'],
  ['See [the guide](https://example.com/a_b) and ![a picture](x.png)', 'See the guide and a picture'],
  ['# Create a refund\n\nMoves _real_ money.', 'Create a refund Moves real money.'],
  ['Sets snake_case_name and 2 * 3 * 4', 'Sets snake_case_name and 2 * 3 * 4'],
  ['Removes<br/>an <a href="/x">item</a>', 'Removes an item'],
  ['a < b and c > d', 'a < b and c > d'],
  ['- one item', 'one item'],
  ['~~Old~~ \\*new\\* __name__', 'Old *new* name'],
  ['`GET /users/{id}`', 'GET /users/{id}'],
  ['', ''],
])('%j is %j', (text, plain) => {
  expect(plainText(text)).toBe(plain);
});

it.each([
  ['delete a pod', 'Delete a pod'],
  ['`delete` a pod', 'Delete a pod'],
  ['delete', 'Delete'],
  ['ändere den Namen', 'Ändere den Namen'],
  ['eBay listing', 'eBay listing'],
  ['listUsers returns users', 'listUsers returns users'],
  ['pods.delete removes it', 'pods.delete removes it'],
])('%j begins as %j', (text, sentence) => {
  expect(plainSentence(text)).toBe(sentence);
});

it('is one line without invisible characters, and never longer', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab*_`~[]()<>#\\ \n\u202e-!/'), maxLength: 60 }), (text) => {
      expect(plainText(text)).not.toMatch(/[\n\u202e]/u);
      expect(plainText(text).length).toBeLessThanOrEqual(text.length);
    }),
  );
});
