import fc from 'fast-check';
import type { MethodStatement } from '../request-reading/request-methods.js';
import { compileCondition, type ConditionResult } from './condition.js';
import { ConditionFacts, type FactSources } from './facts.js';

const ORDER = '{"amount":50,"price":1.5,"currency":"EUR","items":[{"n":1},{"n":2}],"big":9007199254740993,"note":null}';
const request = (more: Partial<MethodStatement> = {}): MethodStatement => ({
  method: 'POST',
  targetUrl: 'https://api.example.com/v1/refunds?a=1&b=2&b=3',
  headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Team': 'red', 'x-team': 'blue' },
  body: ORDER,
  ...more,
});
const facts = (more: Partial<MethodStatement> = {}, sources: Partial<FactSources> = {}): ConditionFacts =>
  new ConditionFacts({
    request: request(more),
    agentId: 7,
    agentName: 'billing-bot',
    nowMs: Date.UTC(2026, 10, 27, 22, 30),
    operation: () => ({ id: 'refund', tags: ['money'], summary: null, deprecated: false, isWrite: true }),
    pathParams: () => ({ id: '42' }),
    effects: () => ['money', 'write'],
    firstTime: () => true,
    ...sources,
  });
const compiled = (text: string) => {
  const read = compileCondition(text);
  if (!read.ok) throw new Error(read.fault);
  return read.expression;
};
const evaluate = (text: string, more?: Partial<MethodStatement>, sources?: Partial<FactSources>): ConditionResult =>
  compiled(text).evaluate(facts(more, sources), '/refunds');
const fault = (text: string): string | null => {
  const read = compileCondition(text);
  return read.ok ? null : read.fault;
};

describe('a condition', () => {
  it.each([
    'request.method == "POST" && request.path == "/refunds" && request.pathParams.id == "42"',
    'request.query.b == ["2", "3"] && "1" in request.query.a && !("c" in request.query)',
    'request.headers["x-team"] == "red, blue" && request.contentType == "application/json"',
    'request.size == 103 && request.text.startsWith("{")',
    'request.body.amount > 10 && request.body.amount < 50.5 && request.body.amount == 50.0',
    'request.body.big == 9007199254740993 && request.body.big != 9007199254740992',
    'request.body.items.exists(i, i.n == 2) && request.body.items.all(i, i.n > 0)',
    'request.body.items.map(i, i.n) == [1, 2] && request.body.items.filter(i, i.n > 1).size() == 1',
    'request.body.items.map(i, i.n > 1, i.n * 10) == [20] && request.body.items.exists_one(i, i.n == 1)',
    'request.body.exists(key, key == "amount") && size(request.body) == 6',
    'has(request.body.amount) && !has(request.body.missing) && has(request.body.note)',
    'request.body["currency"] in ["EUR", "USD"] && "amount" in request.body',
    'agent.id == 7 && agent.name == "billing-bot"',
    'operation != null && operation.id == "refund" && "money" in operation.tags && operation.isWrite',
    'graphql == null && rpc == null',
    '"money" in effects && effects.all(e, e in ["money", "write"]) && firstTime',
    'now.getHours() == 22 && now.getHours("Europe/Berlin") == 23 && now.getDayOfWeek() == 5 && now.getFullYear() == 2026',
    'now - timestamp("2026-11-27T20:30:00Z") == duration("2h") && now + duration("90m") > now',
    'type(request.body.amount) == int && type(request.body.price) == double && type(request.body.note) == null_type',
    'int("12") == 12 && double("1.5") == 1.5 && string(12) == "12" && bool("true")',
    '"A,b".lowerAscii().split(",") == ["a", "b"] && ["a", "b"].join("-") == "a-b" && " x ".trim() == "x"',
    'request.path.matches("^/ref[a-z]+$") && !request.path.matches("^ref")',
    '"äö🎉".size() == 3 && {"a": 1}.a == 1 && [1, "a"][1] == "a"',
    'request.body.amount > 100 ? false : true',
    'request.body.missing == 1 || true',
    '!(request.body.missing == 1 && false)',
    '7 / 2 == 3 && -7 % 3 == -1 && 7.0 / 2.0 == 3.5 && 1 + 1 == 2',
  ])('holds: %s', (text) => {
    expect(evaluate(text)).toBe(true);
  });

  it.each([
    ['request.body.missing == 1', 'there is no field missing'],
    [
      'request.body.amount > "10"',
      'a text can’t be compared with a number (values of forms are texts: compare double(…) of the field)',
    ],
    ['request.body.amount * 1.5 > 1.0', 'an operator does not fit the types of its values'],
    ['request.body.items[2].n == 1', 'a list has no item at this place'],
    ['request.body.items.all(i, i.missing == 1)', 'there is no field missing'],
    ['request.body.amount / 0 == 1', 'an integer is divided by zero'],
    ['request.body.big * request.body.big > 1', 'an integer overflows'],
    ['request.body.currency.missing == 1', 'a value of type string has no fields'],
    ['has(request.body.items.n)', 'a value of type list has no fields'],
    ['request.body.amount', 'it is neither true nor false'],
    ['int(request.body.currency) > 1', 'a text is no int'],
    ['has(request.body.Amount)', 'some servers take "amount" for this field'],
    ['"Amount" in request.body', 'some servers take "amount" for this field'],
    [
      'request.path.matches(request.body.currency + "(")',
      'it is no regular expression of RE2 (https://github.com/google/re2/wiki/Syntax)',
    ],
  ])('is undecided: %s', (text, undecided) => {
    expect(evaluate(text)).toEqual({ undecided });
  });

  it('is undecided where it reads a body that can not be read, and decided where it does not', () => {
    const twice = { body: '{"amount":1,"Amount":1000}' };
    const undecided = 'the body can not be read: it has the key "Amount" twice';
    for (const text of ['request.body.x == 1', 'has(request.body.x)', 'request.body == null', 'request.text == ""']) {
      expect(evaluate(text, twice)).toEqual({ undecided });
    }
    expect(evaluate('request.method == "POST" || request.body.x == 1', twice)).toBe(true);
    expect(evaluate('request.size > 1000', twice)).toBe(false);
  });

  it('takes a missing body for null, which has no fields', () => {
    expect(evaluate('request.body == null && request.text == "" && request.size == 0', { body: null })).toBe(true);
    expect(evaluate('has(request.body.amount)', { body: null })).toBe(false);
    expect(evaluate('request.body.amount > 1', { body: null })).toEqual({
      undecided: 'what it reads is not there: null has no fields',
    });
  });

  it('reads a form as a map of texts', () => {
    const form = (body: string) => ({ body, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    expect(
      evaluate('int(request.body.amount) > 10 && request.body["card[exp]"] == "1"', form('amount=50&card[exp]=1')),
    ).toBe(true);
    expect(evaluate('has(request.body.x)', form('a=1&a=2'))).toEqual({
      undecided: 'the form has the field a more than once',
    });
    expect(evaluate('has(request.body.card)', form('card[exp]=1'))).toEqual({
      undecided: 'some servers take "card[exp]" for this field',
    });
  });

  it('is undecided about a query that servers read differently', () => {
    const targetUrl = 'https://api.example.com/v1/refunds?a=1;b=2';
    expect(evaluate('request.query.a == ["1"]', { targetUrl })).toEqual({
      undecided: 'the query can not be read: it has ";" that is not encoded',
    });
  });

  it('does not reach what objects of JavaScript inherit', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(evaluate(`has(request.body.${name})`)).toBe(false);
      expect(evaluate(`request.body["${name}"] == 1`)).toEqual({ undecided: `there is no field ${name}` });
      expect(fault(`request.${name} == 1`)).toBe(`when: line 1, column 9: there is no field ${name}`);
    }
    expect(evaluate('request.body.constructor.x == 1', { body: '{"constructor":{"x":1}}' })).toBe(true);
  });

  it('reads every call of JSON-RPC', () => {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'issue_credit', arguments: { amount: 500 } },
    };
    const text = 'rpc != null && rpc.calls.exists(c, c.tool == "issue_credit" && c.arguments.amount > 100)';
    expect(evaluate(text, { body: JSON.stringify(call) })).toBe(true);
    expect(evaluate(text, { body: '{"jsonrpc":"2.0","id":1' })).toEqual({
      undecided: 'the procedure call can not be read',
    });
    expect(evaluate(text)).toBe(false);
  });

  it('asks for mutations, and not for what it can not read', () => {
    const text = 'graphql != null && graphql.type == "mutation"';
    expect(evaluate(text, { body: '{"query":"mutation { a }"}' })).toBe(true);
    expect(evaluate(text, { body: '{"query":"{ a }"}' })).toBe(false);
    expect(evaluate(text, { body: '{"query":"mutation {"}' })).toEqual({
      undecided: 'the GraphQL operation can not be read',
    });
  });

  it('asks for facts only if it reads them, and once', () => {
    const sources = {
      effects: jest.fn(() => ['money']),
      firstTime: jest.fn(() => null),
      operation: jest.fn(() => null),
    };
    const one = facts({}, sources);
    expect(compiled('request.method == "GET"').evaluate(one)).toBe(false);
    expect(sources.effects).not.toHaveBeenCalled();
    expect(compiled('"money" in effects && "money" in effects').evaluate(one)).toBe(true);
    expect(compiled('"read" in effects').evaluate(one)).toBe(false);
    expect(sources.effects).toHaveBeenCalledTimes(1);
    expect(compiled('firstTime').evaluate(one)).toEqual({ undecided: 'nobody knows whether it is the first time' });
    expect(compiled('operation == null').evaluate(one)).toBe(true);
    expect(compiled('operation.isWrite').evaluate(one)).toEqual({
      undecided: 'what it reads is not there: null has no fields',
    });
    const unknown = facts(
      {},
      { effects: undefined, operation: undefined, pathParams: undefined, agentName: undefined },
    );
    for (const text of ['effects == []', 'operation == null', '!has(request.pathParams.id)', 'agent.name != "x"']) {
      expect(compiled(text).evaluate(unknown)).toEqual({
        undecided: expect.stringContaining('not known here') as string,
      });
    }
  });

  it('says what it reads', () => {
    const none = {
      body: false,
      path: false,
      operation: false,
      graphql: false,
      rpc: false,
      effects: false,
      firstTime: false,
    };
    expect(compiled('request.method == "GET" && agent.id == 1').reads).toEqual(none);
    expect(compiled('request.body.x == 1 || request["path"] == "/"').reads).toEqual({
      ...none,
      body: true,
      path: true,
    });
    expect(compiled('has(request.text)').reads).toEqual({ ...none, body: true });
    expect(compiled('request.pathParams.id == "1" && graphql == null && rpc == null').reads).toEqual({
      ...none,
      operation: true,
      graphql: true,
      rpc: true,
    });
    expect(compiled('effects.exists(e, e == "money") && firstTime && operation == null').reads).toEqual({
      ...none,
      effects: true,
      firstTime: true,
      operation: true,
    });
  });
});

describe('compileCondition', () => {
  it.each([
    ['', 'when: line 1, column 1: unexpected end'],
    ['1 +', 'when: line 1, column 4: unexpected end'],
    ['true &&\n  (false', 'when: line 2, column 9: expected ), got the end'],
    ['true\n && other', 'when: line 2, column 5: there is no variable other'],
    ['request.bod == 1', 'when: line 1, column 9: there is no field bod'],
    ['graphql.typ == "x"', 'when: line 1, column 9: there is no field typ'],
    ['request.size > "a"', 'when: line 1, column 1: no such overload: int > string'],
    ['"a"', 'when: line 1, column 1: it must be true or false, and is string'],
    ['request == null', 'when: line 1, column 1: name a field of request'],
    ['request[request.path] == 1', 'when: line 1, column 1: name the field of request as a text'],
    ['"mony" in effects', /^when: line 1, column 1: there is no effect "mony": use one of delete, bulk, /],
    ['request.headers["X-A"] == "1"', 'when: line 1, column 17: names of headers are in lower case'],
    ['"X-A" in request.headers', 'when: line 1, column 1: names of headers are in lower case'],
    ['request.path.matches("(")', /^when: line 1, column 22: it is no regular expression of RE2/],
    ['request.path.matches("a{900}b{200}")', 'when: line 1, column 22: the regular expression is too large'],
    ['request.path.matches("(?=a)")', /^when: line 1, column 22: it is no regular expression of RE2/],
    ['now.getHours("Mars") == 1', 'when: line 1, column 14: there is no such time zone'],
    ['request.body.nope() == 1', 'when: line 1, column 1: there is no function nope()'],
    ['request.body.size(1) == 1', 'when: line 1, column 1: size() takes another number of values'],
    ['cel.bind(x, 1, x == 1)', 'when: line 1, column 1: there is no function bind()'],
    ['b"a" == b"a"', 'when: line 1, column 1: bytes and unsigned integers are not supported'],
    ['99999999999999999999 > 1', 'when: line 1, column 1: the integer is too large'],
    [
      '[1].exists(a, [2].exists(b, true))',
      'when: line 1, column 15: exists() is inside another list function, and they must not nest',
    ],
    ['[1].exists(request, true)', 'when: line 1, column 12: the name request is taken'],
    ['(('.repeat(20), 'when: line 1, column 31: it has too many parts, or they are nested too deeply'],
    ['!'.repeat(999), 'when: line 1, column 1000: unexpected end'],
    ['x'.repeat(1001), 'when: line 1, column 1001: it has more than 1000 characters'],
  ])('refuses %j', (text, expected) => {
    expect(fault(text)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });

  it('refuses or takes any text, and throws for none', () => {
    const piece = fc.constantFrom(
      ...[
        'request',
        '.',
        'body',
        'path',
        '(',
        ')',
        '[',
        ']',
        '"a"',
        '1',
        '1.5',
        '==',
        '&&',
        '||',
        '!',
        '-',
        '+',
        '{',
        '}',
      ],
      ...[
        ':',
        ',',
        'in',
        'exists',
        'x',
        'has',
        'matches',
        'effects',
        '?',
        'null',
        'true',
        'r"',
        "'",
        '\n',
        '//',
        '0x',
        'u',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 15 }), (pieces) => {
        const read = compileCondition(pieces.join(''));
        if (read.ok) expect(typeof read.expression.evaluate(facts())).toMatch(/boolean|object/);
        else expect(read.fault).toMatch(/^when: line \d+, column \d+: ./);
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(fc.string(), (text) => compileCondition(text).ok === true || fault(text)!.startsWith('when: line ')),
    );
  });
});

describe('the steps of a condition', () => {
  const LIMIT = { undecided: 'it takes too many steps' };
  const body = (value: unknown) => ({ body: JSON.stringify(value) });
  const long = 'a'.repeat(500_000);

  it.each([
    [
      'request.body.list.exists(i, request.text.contains(i + "zzz"))',
      { list: Array.from({ length: 5000 }, (_, i) => `${i}`), long },
    ],
    [
      'request.body.list.map(i, request.text + i).join("") == ""',
      { list: Array.from({ length: 5000 }, (_, i) => `${i}`), long },
    ],
    ['request.body.list.exists(i, [i, i, i, i, i, i, i, i] == [1])', { list: Array.from({ length: 60_000 }, () => 1) }],
    [
      'request.body.list.exists(i, request.body.one != request.body.two)',
      {
        list: Array.from({ length: 1000 }, (_, i) => i),
        one: Array.from({ length: 20_000 }, () => 1),
        two: Array.from({ length: 20_000 }, () => 1),
      },
    ],
    [
      'request.body.text.contains(request.body.sought) || request.text.split("").size() == 1',
      {
        text: 'a'.repeat(400_000),
        sought: `${'a'.repeat(200_000)}b${'a'.repeat(200_000)}`,
      },
    ],
    ['request.body.list.exists(i, i.matches(i + "x"))', { list: Array.from({ length: 1000 }, (_, i) => `${i}`) }],
    [
      'request.body.list.exists(i, now.getHours("Europe/Berlin") == 30)',
      { list: Array.from({ length: 90_000 }, (_, i) => i) },
    ],
    ['request.body.text.matches("(x+x+)+y|[^b]*b.{100}c")', { text: 'x'.repeat(100_000) }],
  ] as [string, object][])('end: %s', (text, value) => {
    expect(evaluate(text, body(value))).toEqual(LIMIT);
  });

  it('are not absorbed by ||, and the conditions that come next are undecided too', () => {
    const one = facts(body({ list: Array.from({ length: 1000 }, (_, i) => i) }));
    expect(
      compiled('request.body.list.exists(i, request.body.list != request.body.list) || true').evaluate(one),
    ).toEqual(LIMIT);
    expect(compiled('true').evaluate(one)).toEqual(LIMIT);
  });

  it('suffice for one look at each item of a large body', () => {
    const list = Array.from({ length: 25_000 }, (_, n) => ({ n }));
    expect(evaluate('request.body.list.exists(i, i.n == -1)', body({ list }))).toBe(false);
  });

  it('are enough of a limit for any condition on any body', () => {
    const conditions = [
      'request.body.exists(k, request.body[k] == request.body)',
      'request.body.a.all(i, i.a == request.text || i.matches(request.text))',
      'request.text.lowerAscii().contains(request.text) && request.body.a.map(i, [i, i]).size() > 1',
      'size(request.body) > 1 || string(request.body.a).startsWith("a") || request.body.a.join("a") == ""',
    ].map(compiled);
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (json) => {
        for (const text of [json, `{"a":${json}}`, `[${json}]`]) {
          const one = facts({ body: text });
          for (const condition of conditions) expect(typeof condition.evaluate(one)).toMatch(/boolean|object/);
        }
      }),
    );
  });
});
