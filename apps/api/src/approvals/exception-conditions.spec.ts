import { compileCondition } from '../conditions/condition.js';
import { ConditionFacts } from '../conditions/facts.js';
import { exceptionConditions } from './exception-conditions.js';

const JSON_TYPE: Record<string, string> = { 'Content-Type': 'application/json; charset=utf-8' };
const of = (body: unknown, { query = '', headers = JSON_TYPE } = {}) =>
  exceptionConditions({
    targetUrl: `https://api.example.com/v1/refunds${query}`,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const texts = (...given: Parameters<typeof of>) => of(...given)?.map(({ text }) => text);

/** Whether the conditions of one request hold for another. */
function holdsFor(made: unknown, body: unknown, query = ''): unknown {
  const when = texts(made)!.join(' && ');
  const compiled = compileCondition(when);
  if (!compiled.ok) throw new Error(compiled.fault);
  const targetUrl = `https://api.example.com/v1/refunds${query}`;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = { method: 'POST' as const, targetUrl, headers: JSON_TYPE, body: text };
  return compiled.condition.evaluate(new ConditionFacts({ request, agentId: 1, nowMs: 0 }), '/refunds');
}

describe('the conditions of an exception', () => {
  const REFUND = {
    amount: 50,
    currency: 'EUR',
    to: { role: 'viewer', n: 1.5 },
    tags: ['a', 1, null],
    note: null,
    ok: true,
  };

  it('hold for their own request, and for smaller amounts', () => {
    expect(holdsFor(REFUND, REFUND)).toBe(true);
    expect(holdsFor(REFUND, { ...REFUND, amount: 49.99, tags: ['a'] })).toBe(true);
    expect(holdsFor({ 'a"] || true || ["b': 'x' }, { 'a"] || true || ["b': 'x' })).toBe(true);
  });

  it.each<[string, unknown, string?]>([
    ['a larger amount', { ...REFUND, amount: 50.01 }],
    ['a negative one', { ...REFUND, amount: -1 }],
    ['an amount as text', { ...REFUND, amount: '50' }],
    ['another currency', { ...REFUND, currency: 'USD' }],
    ['one more field', { ...REFUND, force: true }],
    ['one more field inside', { ...REFUND, to: { ...REFUND.to, admin: true } }],
    ['one more tag', { ...REFUND, tags: ['a', 1, null, 'a'] }],
    ['another tag', { ...REFUND, tags: ['b'] }],
    ['a parameter', REFUND, '?force=true'],
    ['a field less', { ...REFUND, currency: undefined }],
    ['a field twice', JSON.stringify(REFUND).replace('{', '{"amount":1,')],
    ['no body', ''],
  ])('don’t hold for %s', (_case, body, query = '') => {
    expect(holdsFor(REFUND, body, query)).not.toBe(true);
  });

  it('cap numbers, keep all else, and let nothing be added', () => {
    expect(texts({ amount: 50, currency: 'EUR', force: false, note: null })).toEqual([
      'size(request.query) == 0',
      'request.body.all(k, k in ["amount", "currency", "force", "note"])',
      'request.body.amount >= 0 && request.body.amount <= 50',
      'request.body.currency == "EUR"',
      'request.body.force == false',
      'request.body.note == null',
    ]);
  });

  it('may leave out identifiers, but not those of owners', () => {
    const varying = of({ id: 'x', charge_id: 'ch_1', userId: 7, account_id: 'a', orgId: 'o', paid: true, grid: 'g' })!
      .filter(({ mayVary }) => mayVary)
      .map(({ text }) => text);
    expect(varying).toEqual(['request.body.id == "x"', 'request.body.charge_id == "ch_1"', 'request.body.userId == 7']);
  });

  it('don’t cap numbers that are no amounts', () => {
    expect(texts({ a: 0, b: -5, c: 1.5 })!.slice(2)).toEqual([
      'request.body.a == 0',
      'request.body.b == -5',
      'request.body.c >= 0 && request.body.c <= 1.5',
    ]);
  });

  it('read objects and lists of plain values', () => {
    expect(texts({ to: { role: 'viewer' }, tags: ['a', 1], none: [], empty: {} })!.slice(2)).toEqual([
      'request.body.to.all(k, k in ["role"])',
      'request.body.to.role == "viewer"',
      'size(request.body.tags) <= 2',
      'request.body.tags.all(x, x in ["a", 1])',
      'size(request.body.none) <= 0',
      'request.body.none.all(x, x in [])',
      'size(request.body.empty) == 0',
    ]);
  });

  it('write names and texts so that they stay names and texts', () => {
    expect(texts({ 'a"] || true || ["b': '"); true', in: 1 })!.slice(1)).toEqual([
      'request.body.all(k, k in ["a\\"] || true || [\\"b", "in"])',
      'request.body["a\\"] || true || [\\"b"] == "\\"); true"',
      'request.body["in"] >= 0 && request.body["in"] <= 1',
    ]);
  });

  it('cover the query', () => {
    expect(texts('', { query: '?dry=1&tag=a&tag=b' })).toEqual([
      'request.query.all(k, k in ["dry", "tag"])',
      'request.query.dry == ["1"]',
      'request.query.tag == ["a", "b"]',
      'request.body == null',
    ]);
  });

  it('cover forms, whose fields are texts', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(texts('amount=50&currency=eur', { headers })!.slice(2)).toEqual([
      'request.body.amount == "50"',
      'request.body.currency == "eur"',
    ]);
    expect(of('a=1&a=2', { headers })).toBeNull();
  });

  it.each<[string, unknown, Record<string, string>?]>([
    ['a list', [1]],
    ['a number', 7],
    ['a text of another type', 'DROP TABLE users', { 'content-type': 'application/sql' }],
    ['a body without a type', '{"a":1}', {}],
    ['broken JSON', '{"a":'],
    ['a list of objects', { items: [{ a: 1 }] }],
    ['deep objects', { a: { b: { c: { d: 1 } } } }],
    ['a number that is not exact', '{"a":9007199254740993}'],
    ['many fields', Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}`, n]))],
    ['a text with half a character', '{"a":"\\ud800"}'],
  ])('are none for %s', (_case, body, headers = JSON_TYPE) => {
    expect(of(body, { headers })).toBeNull();
  });
});
