import { EFFECTS } from '#contracts/effects';
import { completed, completionsAt, type KnownNames } from './cel-completion.js';

const KNOWN: KnownNames = {
  fields: ['amount', 'card.country', 'card.live', 'x-y'],
  queryParameters: ['force', 'a[]'],
  tags: ['billing'],
  operations: ['createRefund'],
  tools: ['issue_credit'],
  agents: ['billing-bot'],
};
/** The options where `|` is in the text. */
const at = (text: string, isAsked = false): string[] | undefined =>
  completionsAt(text.replace('|', ''), text.indexOf('|'), KNOWN, isAsked)?.options;

it.each([
  ['r|', ['request', 'rpc']],
  ['firstTime && ag|', ['agent']],
  ['!ha|', ['has()']],
  ['request.b|', ['body']],
  ['request.body.|', ['amount', 'card']],
  ['request.body.card.|', ['country', 'live']],
  ['has(request.body.am|', ['amount']],
  ['request.query.|', ['force']],
  ['request.query["|', ['force', 'a[]']],
  ['request.body["x|', ['x-y']],
  ['operation.is|', ['isWrite']],
  ['request.path.starts|', ['startsWith("")']],
  ['effects.ex|', ['exists(x, )', 'exists_one(x, )']],
  ['"mon|" in effects', ['money']],
  ['effects.exists(e, e in ["delete", "mo|', ['money']],
  ['"bil|', ['billing']],
  ['request.method == "PA|"', ['PATCH']],
  ['request.method in ["GET", "PO|"]', ['POST']],
  ['agent.name == "|"', ['billing-bot']],
  ["operation.id == 'cr|", ['createRefund']],
  ['rpc.calls.exists(c, c.tool == "|")', ['issue_credit']],
  ['graphql.type == "mu|"', ['mutation']],
])('%s offers %j', (text, options) => expect(at(text)).toEqual(options));

it.each([
  '|',
  'request.body.amount|',
  'request.nothing.|',
  'firstTime && |',
  're|quest',
  '5|',
  'f().x|',
  'request.path == "|',
])('%s offers nothing', (text) => expect(at(text)).toBeUndefined());

it('offers the words of effects in a text, and every variable on demand', () => {
  expect(at('"|')).toEqual([...EFFECTS, 'billing']);
  expect(at('|', true)).toEqual(expect.arrayContaining(['request', 'firstTime', 'has()']));
});

it.each([
  ['re|', 'request', 'request|'],
  ['re| == 1', 'request', 'request| == 1'],
  ['h|', 'has()', 'has(|)'],
  ['request.path.s|', 'startsWith("")', 'request.path.startsWith("|")'],
  ['effects.e|', 'exists(x, )', 'effects.exists(x, |)'],
  ['now.g|', 'getHours("UTC")', 'now.getHours("UTC")|'],
  ['"m|" in effects', 'money', '"money|" in effects'],
])('%s becomes with %s: %s', (text, option, wanted) => {
  const place = text.indexOf('|');
  const plain = text.replace('|', '');
  const { from } = completionsAt(plain, place, KNOWN)!;
  const after = completed(plain, place, from, option);
  expect(`${after.text.slice(0, after.at)}|${after.text.slice(after.at)}`).toBe(wanted);
});
