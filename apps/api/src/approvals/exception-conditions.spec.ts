import type { ExceptionCondition, UnlimitedValues } from '#contracts';
import { compileCondition } from '../conditions/condition.js';
import { ConditionFacts } from '../conditions/facts.js';
import { exceptionConditions } from './exception-conditions.js';

const JSON_TYPE: Record<string, string> = { 'Content-Type': 'application/json; charset=utf-8' };
const answerTo = (body: unknown, { query = '', headers = JSON_TYPE } = {}) =>
  exceptionConditions({
    targetUrl: `https://api.example.com/v1/refunds${query}`,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
/** Null: there are none. */
function of(...given: Parameters<typeof answerTo>) {
  const conditions = answerTo(...given);
  return typeof conditions === 'string' ? null : conditions;
}
/** Without those about headers and the content type, which are the same nearly everywhere. */
const texts = (...given: Parameters<typeof of>) =>
  of(...given)
    ?.map(({ text }) => text)
    .filter((text) => !/^request\.(?:headers|contentType)/.test(text));

/** Whether the conditions of one request hold for another. */
function holdsFor(
  made: unknown,
  body: unknown,
  query = '',
  kept: (condition: ExceptionCondition) => boolean = () => true,
): unknown {
  const when = of(made)!
    .filter(kept)
    .map(({ text }) => text)
    .join(' && ');
  const compiled = compileCondition(when);
  if (!compiled.ok) throw new Error(compiled.fault);
  const targetUrl = `https://api.example.com/v1/refunds${query}`;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = { method: 'POST' as const, targetUrl, headers: JSON_TYPE, body: text };
  return compiled.expression.evaluate(new ConditionFacts({ request, agentId: 1, nowMs: 0 }), '/refunds');
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
  const AS_MAPS: [string, unknown, unknown][] = [
    ['a map in place of a list', { tags: ['a', 'b'] }, { tags: { a: { admin: true }, b: 1 } }],
    ['a map with numbers as keys in place of a list', { tags: ['0'] }, { tags: { 0: 'x' } }],
    ['a text in place of an empty list', { tags: [] }, { tags: '' }],
    ['a list in place of a map', { to: {} }, { to: [] }],
    ['a list in place of a map with an identifier', { to: { id: 'a1' } }, { to: ['id'] }],
    ['a list in place of the body', { id: 'a1' }, ['id']],
    ['an empty list in place of an empty body', {}, []],
    ['an object in place of an identifier', { id: 'a1' }, { id: { $ne: null } }],
    ['a list in place of an identifier', { id: 7 }, { id: [7, 8] }],
    ['a pattern in place of an identifier', { id: 'a1' }, { id: '*' }],
    ['several in place of an identifier', { id: 'a1' }, { id: 'a1,a2' }],
    ['a word in place of an identifier', { id: 'a1' }, { id: 'all' }],
    ['none in place of an identifier', { id: 'a1' }, {}],
    ['a negative number in place of an identifier', { id: 7 }, { id: -1 }],
  ];

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

  it.each(AS_MAPS)('don’t hold for %s, also without what may vary', (_case, made, body) => {
    expect(holdsFor(made, body)).not.toBe(true);
    expect(holdsFor(made, body, '', ({ mayVary }) => !mayVary)).not.toBe(true);
    expect(holdsFor(made, made, '', ({ mayVary }) => !mayVary)).toBe(true);
  });

  it('cap amounts, keep all else, and let nothing be added', () => {
    expect(texts({ amount: 50, currency: 'EUR', force: false, note: null })).toEqual([
      'size(request.query) == 0',
      'type(request.body) == map && request.body.all(k, k in ["amount", "currency", "force", "note"])',
      'request.body.amount > 0 && request.body.amount <= 50',
      'request.body.currency == "EUR"',
      'request.body.force == false',
      'request.body.note == null',
    ]);
  });

  it('may leave out identifiers, but not those of owners', () => {
    const body = {
      id: 'x1',
      charge_id: 'ch_1',
      userId: 7,
      account_id: 'a1',
      orgId: 1,
      paid: true,
      grid: 'g1',
      item_id: '*',
    };
    const varying = of(body)!
      .filter(({ mayVary }) => mayVary)
      .map(({ text }) => text);
    expect(varying).toEqual([
      'request.body.id == "x1"',
      'request.body.charge_id == "ch_1"',
      'request.body.userId == 7',
    ]);
  });

  it.each([
    ...['amount', 'refund_amount', 'amountInCents', 'amount_cents', 'quantity', 'Qty', 'sum'].map((name) => ({
      [name]: 50,
    })),
    { amount: { value: 50 } },
  ])('let an amount or a quantity be smaller, but not 0: %j', (made) => {
    const smaller = (number: number): unknown => JSON.parse(JSON.stringify(made).replace('50', String(number)));
    expect([50, 1, 0.5].map((each) => holdsFor(made, smaller(each)))).toEqual([true, true, true]);
    expect([50.01, 0, -1].map((each) => holdsFor(made, smaller(each)))).toEqual([false, false, false]);
  });

  it.each(
    [
      ...['id', 'user_id', 'account', 'account_number', 'accountNumber', 'bank_code', 'code', 'version', 'n', 'port'],
      ...[
        'role',
        'level',
        'price',
        'discount',
        'min_amount',
        'limit',
        'amount_limit',
        'desired_count',
        'replicas',
        'ttl',
      ],
      ...[
        'quantity_id',
        'amountType',
        'status',
        'expires_in',
        'retention_days',
        'discount_amount',
        'value',
        'position',
      ],
    ].map((name) => [name]),
  )('let no other number be smaller: %s', (name) => {
    expect(holdsFor({ [name]: 50 }, { [name]: 50 })).toBe(true);
    expect([49, 1, 0].map((each) => holdsFor({ [name]: 50 }, { [name]: each }))).toEqual([false, false, false]);
  });

  it('read objects and lists of plain values', () => {
    expect(texts({ to: { role: 'viewer' }, tags: ['a', 1], none: [], empty: {} })!.slice(2)).toEqual([
      'type(request.body.to) == map && request.body.to.all(k, k in ["role"])',
      'request.body.to.role == "viewer"',
      'type(request.body.tags) == list && size(request.body.tags) <= 2',
      'request.body.tags.all(x, x in ["a", 1])',
      'type(request.body.none) == list && size(request.body.none) <= 0',
      'request.body.none.all(x, x in [])',
      'type(request.body.empty) == map && size(request.body.empty) == 0',
    ]);
  });

  it('write names and texts so that they stay names and texts', () => {
    expect(texts({ 'a"] || true || ["b': '"); true', in: 1 })!.slice(1)).toEqual([
      'type(request.body) == map && request.body.all(k, k in ["a\\"] || true || [\\"b", "in"])',
      'request.body["a\\"] || true || [\\"b"] == "\\"); true"',
      'request.body["in"] == 1',
    ]);
  });

  it('are not made of a body that is longer than any condition', () => {
    expect(of(`{"amount": 5${' '.repeat(5_000)}}`)).not.toBeNull();
    expect(answerTo(`{"amount": 5${' '.repeat(10_000)}}`)).toBe('too_much');
  });

  it('cover the query', () => {
    expect(texts('', { query: '?dry=1&tag=a&tag=b' })).toEqual([
      'request.query.all(k, k in ["dry", "tag"])',
      'request.query.dry == ["1"]',
      'request.query.tag == ["a", "b"]',
      'request.body == null',
    ]);
  });

  it('cover headers that clients do not add by themselves', () => {
    const holds = (headers: Record<string, string>, made = JSON_TYPE): unknown => {
      const when = of({ a: 1 }, { headers: { ...JSON_TYPE, ...made } })!
        .map(({ text }) => text)
        .join(' && ');
      const compiled = compileCondition(when);
      if (!compiled.ok) throw new Error(compiled.fault);
      const targetUrl = 'https://api.example.com/v1/refunds';
      const request = { method: 'POST' as const, targetUrl, headers: { ...JSON_TYPE, ...headers }, body: '{"a":1}' };
      return compiled.expression.evaluate(new ConditionFacts({ request, agentId: 1, nowMs: 0 }), '/refunds');
    };
    expect(holds({ 'User-Agent': 'other', Accept: '*/*', 'X-Request-Id': '7' })).toBe(true);
    expect(holds({ 'Stripe-Account': 'acct_2' })).toBe(false);
    expect(holds({ 'Stripe-Account': 'acct_1' }, { 'stripe-account': 'acct_1' })).toBe(true);
    expect(holds({ 'Stripe-Account': 'acct_2' }, { 'stripe-account': 'acct_1' })).toBe(false);
    expect(holds({}, { 'stripe-account': 'acct_1' })).not.toBe(true);
    expect(holds({ 'Content-Type': 'application/merge-patch+json' })).toBe(false);
    expect(answerTo({ a: 1 }, { headers: { ...JSON_TYPE, 'X-Session-Token': 's' } })).toBe('header');
    expect(answerTo({ a: 1 }, { headers: { ...JSON_TYPE, Prefer: 'a', prefer: 'b' } })).toBe('header');
  });

  it('cover forms, whose fields are texts', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(texts('amount=50&currency=eur', { headers })!.slice(2)).toEqual([
      'request.body.amount == "50"',
      'request.body.currency == "eur"',
    ]);
    expect(answerTo('a=1&a=2', { headers })).toBe('unreadable');
  });

  it.each<[string, UnlimitedValues, unknown, Record<string, string>?]>([
    ['a list', 'no_object', [1]],
    ['a number', 'no_object', 7],
    ['a text of another type', 'content_type', 'DROP TABLE users', { 'content-type': 'application/sql' }],
    ['JSON that is sent as text', 'content_type', '{"a":1}', { 'content-type': 'text/plain' }],
    ['a body without a type', 'content_type', '{"a":1}', {}],
    ['broken JSON', 'unreadable', '{"a":'],
    ['a list of objects', 'nested', { items: [{ a: 1 }] }],
    ['deep objects', 'nested', { a: { b: { c: { d: 1 } } } }],
    ['a number that is not exact', 'value', '{"a":9007199254740993}'],
    ['many fields', 'too_much', Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}`, n]))],
    ['a text with half a character', 'value', '{"a":"\\ud800"}'],
  ])('are none for %s, and the reason is %s', (_case, reason, body, headers = JSON_TYPE) => {
    expect(answerTo(body, { headers })).toBe(reason);
  });
});
