import { conditionWords } from './condition-words.js';
import { valueWords } from './value-words.js';

it.each([
  [
    'size(request.query) == 0 && request.body.all(k, k in ["amount", "charge_id"]) && request.body.amount >= 0 && request.body.amount <= 50',
    ['amount is from 0 to 50', 'charge_id is anything', 'there is no query', 'the body has no other field'],
  ],
  [
    'request.query.all(k, k in ["force"]) && request.query.force == ["1", "2"] && size(request.body) == 0',
    ['query force is “1”, “2”', 'the query has no other parameter', 'the body is empty'],
  ],
  [
    'size(request.body.tags) <= 2 && request.body.tags.all(x, x in [1, 2]) && request.body["in"].ok == true && request.body["in"].all(k, k in ["ok"])',
    ['tags has at most 2 items', 'each of tags is one of 1, 2', 'in.ok is true', 'in has no other field'],
  ],
  [
    'request.body.note == "EUR and amount is 5" && request.body.on == null',
    ['note is “EUR and amount is 5”', 'on is null'],
  ],
  [
    'request.body.all(k, k in ["charge_id", "tags"]) && type(request.body.tags) == list && size(request.body.tags) <= 2 && request.body.charge_id.matches("^[A-Za-z_-]*[0-9][A-Za-z0-9_-]*$")',
    ['tags has at most 2 items', 'charge_id is any identifier', 'the body has no other field'],
  ],
  ['type(request.body) == map && size(request.body) == 0', ['the body is empty']],
  [
    'type(request.body.id) == int && request.body.id > 0 && request.body.amount > 0 && request.body.amount <= 50',
    ['id is any identifier', 'amount is above 0 and up to 50'],
  ],
  [
    'request.contentType == "text/csv" && request.headers.all(k, k in ["accept"]) && request.headers["prefer"] == "wait" && request.body == null',
    ['the content type is “text/csv”', 'there are no headers but accept', 'header prefer is wait', 'there is no body'],
  ],
  ['request.headers.all(k, k in ["a", "b", "c", "d", "e"])', ['there are no headers but a, b, c and 2 more']],
  ['request.headers.all(k, k in ["a", "b", "c", "d"])', ['there are no headers but a, b, c, d']],
])('says %s in words', (condition, words) => expect(valueWords(condition)).toEqual(words));

it.each([
  'request.body.amount > 5',
  'request.body.amount >= 0',
  'request.body.amount > 0',
  'request.body.a == 1 && request.body.amount > 0',
  'type(request.body.a) == int && request.body.b > 0',
  'request.body.a.matches("a")',
  'request.headers.all(k, k in ["a"], true)',
  'request.body.amount >= 0 && request.body.other <= 5',
  'request.body.amount >= 1 && request.body.amount <= 5',
  'firstTime',
  'request.body.a == 1 || true',
  'size(request.body) == 1',
  '',
])('has no words for %s', (condition) => expect(valueWords(condition)).toBeNull());

it('is used where a rule is shown', () => {
  const words = 'there is no query and there is no body';
  expect(conditionWords('size(request.query) == 0 && request.body == null')).toBe(words);
});
