import fc from 'fast-check';
import { LIMIT_COUNT_MAX } from '#contracts/limits';
import { compileSum } from '../conditions/condition.js';
import { ConditionFacts } from '../conditions/facts.js';
import type { MethodStatement } from '../request-reading/request-methods.js';
import { RequestPath } from '../request-reading/request-path.js';
import type { ConditionedRule, ConditionSubject } from './rule-conditions.js';
import { amountOf, type LimitedRule } from './rule-sums.js';

const BASE = 'https://api.example.com';
const JSON_TYPE = 'application/json';
const subject = (body: string | null, path = '/refunds', type = JSON_TYPE): ConditionSubject => {
  const request: MethodStatement = {
    method: 'POST',
    targetUrl: BASE + path,
    headers: { 'content-type': type },
    body,
  };
  return {
    path: new RequestPath(new URL(request.targetUrl), BASE),
    facts: new ConditionFacts({ request, agentId: 7, nowMs: 0 }),
    undecided: new Map<ConditionedRule, string>(),
  };
};
const rule = (sum?: string): LimitedRule => ({
  effect: 'limit',
  limit: { count: 500, per: 'day', then: 'deny', ...(sum !== undefined && { sum }) },
});
const AMOUNT = rule('request.body.amount');

/** What the body adds, or why nobody knows. */
function added(sum: LimitedRule, request: ConditionSubject): string {
  const amount = amountOf(sum, request);
  const why = request.undecided!.get(sum);
  expect(why === undefined).toBe(amount !== null);
  return amount ?? why!;
}

describe('what a request adds to a limit', () => {
  it('is 1 without a sum', () => {
    expect(added(rule(), subject('{'))).toBe('1');
  });

  it.each([
    ['50', '50'],
    ['0', '0'],
    ['-0.0', '0'],
    ['0.1', '0.1'],
    ['19.99', '19.99'],
    ['1e2', '100'],
    ['1000000000000', '1000000000000'],
  ])('is the number of the body: %s', (written, amount) => {
    expect(added(AMOUNT, subject(`{"amount":${written}}`))).toBe(amount);
  });

  it.each([
    ['{}', 'there is no field amount'],
    ['{"Amount":5}', 'there is no field amount'],
    ['{"amount":5,"Amount":900}', 'the body can not be read: it has the key "Amount" twice'],
    [null, 'what it reads is not there: null has no fields'],
    ['{"amount":null}', 'it is no number'],
    ['{"amount":"5"}', 'it is no number'],
    ['{"amount":true}', 'it is no number'],
    ['{"amount":[5]}', 'it is no number'],
    ['{"amount":-1}', 'it is negative'],
    ['{"amount":-1e-300}', 'it is negative'],
    ['{"amount":1000000000001}', 'it is larger than any limit'],
    ['{"amount":1e300}', 'it is larger than any limit'],
    ['{"amount":9223372036854775807}', 'it is larger than any limit'],
    ['{"amount":9223372036854775808}', 'the body can not be read: it has an integer of more than 64 bits'],
  ])('is not known: %s', (body, why) => {
    expect(added(AMOUNT, subject(body))).toBe(why);
  });

  it.each([
    ['0.0 / 0.0', 'it is no number'],
    ['1.0 / 0.0', 'it is larger than any limit'],
    ['-1.0 / 0.0', 'it is negative'],
    ['1 / 0', 'an integer is divided by zero'],
    ['double("1e999")', 'a text is no double'],
    ['9223372036854775807 + 1', 'an integer overflows'],
  ])('is not known after the arithmetic of %s', (sum, why) => {
    expect(added(rule(sum), subject('{}'))).toBe(why);
  });

  it('comes from whatever a condition can read', () => {
    const form = subject('amount=1999&currency=eur', '/refunds', 'application/x-www-form-urlencoded');
    expect(added(rule('int(request.body.amount) / 100'), form)).toBe('19');
    expect(added(rule('double(request.body.amount) / 100.0'), form)).toBe('19.99');
    expect(added(rule('request.body.currency == "eur" ? int(request.body.amount) : 0'), form)).toBe('1999');
    expect(added(rule('request.size'), form)).toBe('24');
    expect(added(rule('request.body.to.size()'), subject('{"to":["a","b"]}'))).toBe('2');
    expect(added(rule('int(request.query.n[0])'), subject(null, '/refunds?n=7'))).toBe('7');
  });

  it('is the largest of the readings of a path', () => {
    const sum = rule('request.path == "/admin" ? 100 : 1');
    expect(added(sum, subject(null, '/users'))).toBe('1');
    expect(added(sum, subject(null, '/admin'))).toBe('100');
    expect(added(sum, subject(null, '/ADMIN/'))).toBe('100');
    expect(added(sum, subject(null, '/x/..%2Fadmin'))).toBe('100');
  });

  it('is not known where the steps are used up, or nothing is known about the request', () => {
    const list = Array.from({ length: 1000 }, (_, n) => n);
    const slow = rule('request.body.list.exists(i, request.body.list != request.body.list) ? 1 : 2');
    const one = subject(JSON.stringify({ list, amount: 5 }));
    expect(added(slow, one)).toBe('it takes too many steps');
    expect(added(AMOUNT, one)).toBe('it takes too many steps');
    expect(added(AMOUNT, { ...subject('{}'), facts: undefined })).toBe('nothing is known about the request');
    expect(added(rule('nonsense('), subject('{}'))).toMatch(/^limit\.sum: line 1, column 10: /);
  });

  it('is a decimal that is the number of the body exactly, or not known, whatever the body is', () => {
    const amount = fc.oneof(fc.double(), fc.integer(), fc.bigInt(), fc.double({ min: 0, max: 1e12 }), fc.string());
    fc.assert(
      fc.property(amount, (value) => {
        const written = typeof value === 'bigint' ? String(value) : JSON.stringify(value);
        const found = amountOf(AMOUNT, subject(`{"amount":${written}}`));
        const number = typeof value === 'string' ? NaN : Number(value);
        const isKnown = Number.isFinite(number) && number >= 0 && number <= LIMIT_COUNT_MAX;
        if (!isKnown) return found === null;
        return /^\d+(\.\d+)?(e[+-]\d+)?$/.test(found!) && Number(found) === number;
      }),
      { numRuns: 1000 },
    );
  });
});

describe('compileSum', () => {
  it.each([
    ['', 'limit.sum: line 1, column 1: unexpected end'],
    ['request.body.amount >', 'limit.sum: line 1, column 22: unexpected end'],
    ['request.body.amount > 1', 'limit.sum: line 1, column 1: it must be a number, and is bool'],
    ['"5"', 'limit.sum: line 1, column 1: it must be a number, and is string'],
    ['request.path', 'limit.sum: line 1, column 1: it must be a number, and is string'],
    ['effects', 'limit.sum: line 1, column 1: it must be a number, and is list<string>'],
    ['[1, 2]', /^limit\.sum: line 1, column 1: it must be a number, and is list/],
    ['{"a": 1}', /^limit\.sum: line 1, column 1: it must be a number, and is map/],
    ['null', 'limit.sum: line 1, column 1: it must be a number, and is null'],
    ['now', /^limit\.sum: line 1, column 1: it must be a number, and is google\.protobuf\.Timestamp/],
    ['5u', 'limit.sum: line 1, column 1: bytes and unsigned integers are not supported'],
    ['request.size + 1.5', 'limit.sum: line 1, column 1: no such overload: int + double'],
    ['request.size +\n  request.bod', 'limit.sum: line 2, column 11: there is no field bod'],
    ['1'.repeat(1001), 'limit.sum: line 1, column 1001: it has more than 1000 characters'],
  ])('refuses %j', (text, expected) => {
    const compiled = compileSum(text);
    const fault: unknown = typeof expected === 'string' ? expected : expect.stringMatching(expected);
    expect(compiled).toEqual({ ok: false, fault });
  });

  it.each(['1', '1.5', 'request.size', 'request.body', 'request.body.amount * 2', 'int(request.body.a)'])(
    'takes %s',
    (text) => expect(compileSum(text).ok).toBe(true),
  );
});
