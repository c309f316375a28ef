import fc from 'fast-check';
import { compileCondition } from './condition.js';
import { ConditionFacts } from './facts.js';

function evaluate(when: string, body: string | null, type = 'application/json', query = ''): boolean | 'undecided' {
  const compiled = compileCondition(when);
  if (!compiled.ok) throw new Error(compiled.fault);
  const request = {
    method: 'POST' as const,
    targetUrl: `https://api.example.com/x?${query}`,
    headers: { 'content-type': type },
    body,
  };
  const result = compiled.expression.evaluate(new ConditionFacts({ request, agentId: 1, nowMs: 0 }), '/x');
  return typeof result === 'boolean' ? result : 'undecided';
}
const ofQuery = (when: string, query: string) => evaluate(when, null, '', query);
const ofJson = (when: string, body: unknown) => evaluate(when, JSON.stringify(body));

it.each<[string, unknown]>([
  ['request.body.items.all(i, i.amount < 10)', { items: { 0: { amount: 50 } } }],
  ['request.body.items.all(i, i.amount < 10)', { items: { a: { amount: 50 } } }],
  ['request.body.items.all(i, i.amount < 10)', { items: 'x' }],
  ['request.body.items.all(i, i.amount < 10)', { items: null }],
  ['request.body.tags.all(t, t in ["0", "1"])', { tags: { 0: 'admin' } }],
  ['request.body.to.exists(t, t.endsWith("@evil.example"))', { to: { 0: 'x@evil.example' } }],
  ['request.body.to.filter(t, t != "a").size() == 0', { to: { 7: 'b' } }],
  ['request.body.to.map(t, t) == []', { to: { 7: 'b' } }],
  ['"admin" in request.body.roles', { roles: { 0: 'admin' } }],
  ['"admin" in request.body.roles', { roles: [['admin']] }],
  ['"admin" in request.body.roles', { roles: 'admin' }],
  ['request.body.items[0].amount < 10', { items: { 0: { amount: 5 } } }],
])('is undecided about a map in place of a list: %s of %j', (when, body) => {
  expect(ofJson(when, body)).toBe('undecided');
});

it.each<[string, unknown, boolean]>([
  ['request.body.all(k, k in ["a", "b"])', { a: 1 }, true],
  ['request.body.labels.all(k, k.startsWith("team"))', { labels: { team1: 'x' } }, true],
  ['"x" in request.body.labels', { labels: { y: 1 } }, false],
  ['{"0": 1}.all(k, k == "0") && "0" in {"0": 1} && !("1" in {"0": 1})', {}, true],
  ['type(request.body.tags) == list && request.body.tags.all(t, t in ["a"])', { tags: { a: { admin: true } } }, false],
])('reads the keys of other maps, as CEL does: %s of %j', (when, body, expected) => {
  expect(ofJson(when, body)).toBe(expected);
});

it.each([
  ...['items[0][amount]=50', 'items[][amount]=50', 'items%5B0%5D%5Bamount%5D=50', 'items.0.amount=50', 'items[]=50'],
  ...['Items[0]=50', 'items[a]=50&x=1'],
])('is undecided about a list of a form with brackets: %s', (body) => {
  const type = 'application/x-www-form-urlencoded';
  for (const when of [
    'has(request.body.items)',
    '"items" in request.body',
    'request.body.items == "x"',
    'has(request.body.items.amount)',
    'request.body.items.exists(i, int(i.amount) > 10)',
  ]) {
    expect([when, evaluate(when, body, type)]).toEqual([when, 'undecided']);
  }
  for (const when of ['has(request.query.items)', '"items" in request.query']) {
    expect([when, ofQuery(when, body)]).toEqual([when, 'undecided']);
  }
});

it('leave a map undecided that some server reads as equal', () => {
  const body = { user: { Role: 'admin' } };
  for (const when of ['request.body.user == {"role": "admin"}', '{"role": "admin"} in [request.body.user]']) {
    expect([when, ofJson(when, body)]).toEqual([when, 'undecided']);
    expect([when, ofJson(when, { user: { name: 'admin' } })]).toEqual([when, false]);
  }
});

describe('values of other types', () => {
  /** What a lenient server may make of a value, such as a single text of a list. */
  const disguises = (value: string | number | boolean): fc.Arbitrary<unknown> =>
    fc.constantFrom<unknown>(
      ...[[value], [[value]], { 0: value }, { $eq: value }, [value, 'x']],
      ...(typeof value === 'string' ? [] : [String(value)]),
      ...(typeof value === 'number' ? [`${value}`, `${value}.0`, ` ${value}`, `${value}e0`, `0_${value}`] : []),
      ...(typeof value === 'number' && Number.isInteger(value) ? [`0x${value.toString(16)}`] : []),
      ...(typeof value === 'boolean' ? [Number(value), value ? ' yes ' : 'no', value ? '1' : ' 0'] : []),
    );

  it('are neither equal nor different where some server converts them', () => {
    const given = fc.constantFrom<string | number | boolean>('admin', '', 5, 0, 1, 1.5, true, false);
    fc.assert(
      fc.property(
        given.chain((value) => fc.tuple(fc.constant(value), disguises(value))),
        ([value, disguised]) => {
          const literal = JSON.stringify(value);
          for (const when of [
            `request.body.x == ${literal}`,
            `request.body.x != ${literal}`,
            `request.body.x in [${literal}]`,
            `!(request.body.x in ["other", ${literal}])`,
            `[request.body.x].exists(x, x == ${literal})`,
          ]) {
            expect([when, disguised, ofJson(when, { x: disguised })]).toEqual([when, disguised, 'undecided']);
          }
        },
      ),
    );
  });

  it.each<[string, unknown, boolean]>([
    ['request.body.x == 5', '6', false],
    ['request.body.x != 5', 'five', true],
    ['request.body.x == "admin"', 5, false],
    ['request.body.x == null', [], false],
    ['request.body.x != null', 'a', true],
    ['request.body.x in ["a", 1, null]', null, true],
    ['request.body.x in [1, "1"]', '1', true],
    ['type(request.body.x) == list', { 0: 1 }, false],
  ])('differ otherwise: %s of %j', (when, x, expected) => {
    expect(ofJson(when, { x })).toBe(expected);
  });
});
