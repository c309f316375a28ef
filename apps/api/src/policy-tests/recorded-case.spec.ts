import { parse } from 'yaml';
import { readCases } from './case-file.js';
import { toCaseText, type RecordedCase } from './recorded-case.js';

const RECORDED: RecordedCase = {
  id: '01890000-0000-7000-8000-000000000000',
  at: new Date('2030-01-31T09:00:00Z'),
  agent: 'bot',
  service: 'Shop',
  method: 'POST',
  url: 'https://shop.example.com/v1/orders?page_token=abc&a=1',
  intent: 'Order: "tea"\n# no comment',
  riskSource: 'rule',
  riskScore: 0.6,
  riskExplanation: 'Risk rule "Ask "twice"" requires approval',
  reason: null,
  outcome: 'held',
  held: {
    headers: { 'Content-Type': 'text/plain', Cookie: 'a=b' },
    body: 'user=ada&password=x&a=1\n',
    isBinary: false,
  },
};

const of = (changes: Partial<RecordedCase>): string => toCaseText({ ...RECORDED, ...changes });
const read = (text: string) => (parse(text) as Record<string, unknown>[])[0];

describe('a recorded request as a case', () => {
  it('has everything that is kept, without secrets', () => {
    expect(read(of({}))).toEqual({
      service: 'Shop',
      agent: 'bot',
      at: '2030-01-31T09:00:00.000Z',
      request: {
        method: 'POST',
        targetUrl: 'https://shop.example.com/v1/orders?page_token=[REDACTED]&a=1',
        headers: { 'Content-Type': 'text/plain', Cookie: '[REDACTED]' },
        body: 'user=ada&password=[REDACTED]&a=1\n',
        intent: 'Order: "tea"\n# no comment',
      },
      expect: { decision: 'hold', rule: 'Ask "twice"' },
    });
  });

  it('is a case that can be read', () => {
    const { cases, faults } = readCases('cases.yaml', of({}) + of({ held: null }));
    expect([cases.length, faults]).toEqual([2, []]);
  });

  it.each<[string, Partial<RecordedCase>, object]>([
    ['a denial', { riskExplanation: 'Denied by risk rule "No"' }, { decision: 'deny', rule: 'No' }],
    ['a permission', { riskExplanation: 'Allowed by risk rule "Yes"' }, { decision: 'forward', rule: 'Yes' }],
    [
      'a note before it',
      { riskExplanation: 'A note. Allowed by risk rule "Yes"' },
      { decision: 'forward', rule: 'Yes' },
    ],
    ['a path that is too long', { riskExplanation: 'The path is too long' }, { decision: 'deny', rule: null }],
    ['a limit', { riskExplanation: 'Limit reached: Few (2 a day)' }, { decision: 'model' }],
    ['an effect', { riskSource: 'effect' }, { decision: 'hold', rule: null }],
    ['the model', { riskSource: 'cache' }, { decision: 'model' }],
    ['a refusal', { riskSource: null, reason: 'No service' }, { decision: 'refused' }],
    ['a replay', { riskSource: null }, { decision: 'model' }],
  ])('expects what was decided: %s', (_what, changes, expected) => {
    expect(read(of(changes)).expect).toEqual(expected);
  });

  it.each<[string, Partial<RecordedCase>]>([
    ['Headers and body of this request are not kept', { held: null }],
    ['The body is not text', { held: { headers: {}, body: null, isBinary: true } }],
    ['The body is long', { held: { headers: {}, body: 'a'.repeat(100_001), isBinary: false } }],
    ['The model decided: held, with the score 0.6', { riskSource: 'model' }],
    ['A case counts nothing', { riskExplanation: 'Limit reached: Few (2 a day)' }],
    ['Nothing was decided about this request', { riskSource: null }],
  ])('says what it does not have: %s', (comment, changes) => {
    const text = of(changes);
    expect(text).toContain(`# ${comment}`);
    expect(read(text).request).not.toHaveProperty('body', expect.stringContaining('a'.repeat(100)));
  });

  const bodyOf = (body: string) =>
    (read(of({ held: { headers: {}, body, isBinary: false } })) as { request: { body: string } }).request.body;

  it.each([
    ['{"token":12345678}', '{"token":"[REDACTED]"}'],
    ['{"secrets":["abc"], "a":1.50}', '{"secrets":"[REDACTED]", "a":1.50}'],
    ['{"credentials":{"user":"u","value":["hunter2",{}]},"a":[]}', '{"credentials":"[REDACTED]","a":[]}'],
    [
      '{"pwd":"x","otp":1,"auth":null,"author":"a"}',
      '{"pwd":"[REDACTED]","otp":"[REDACTED]","auth":"[REDACTED]","author":"a"}',
    ],
    [
      '{"t\\u006fken":"x","accessKey":"y","key":"z"}',
      '{"t\\u006fken":"[REDACTED]","accessKey":"[REDACTED]","key":"z"}',
    ],
    ['{"max_tokens":100,"tokens":["x"]}', '{"max_tokens":100,"tokens":"[REDACTED]"}'],
    [
      '{"url":"https://a.example/?sig=x&b=1","text":"a?b&c"}',
      '{"url":"https://a.example/?sig=[REDACTED]&b=1","text":"a?b&c"}',
    ],
    ['{"a":1}\n{"token":"x"}\n', '{"a":1}\n{"token":"[REDACTED]"}\n'],
    ['{"a":1,"a":90071992547409931,"token":{"b":"x"', '{"a":1,"a":90071992547409931,"token":"[REDACTED]"'],
    ["{token: 'x', a: 1}", '{token: "[REDACTED]", a: 1}'],
    ['a=%7B&api%5Fkey=x&pin=1&b=2', 'a=%7B&api%5Fkey=[REDACTED]&pin=[REDACTED]&b=2'],
  ])('has %s as %s', (body, expected) => {
    expect(bodyOf(body)).toBe(expected);
  });

  it('redacts parameters of the URL, and keeps its path', () => {
    const url = 'https://x.example/secrets/a=b?key=AIza&sig=x&q=1&X-Amz-Signature=y';
    expect((read(of({ url })).request as { targetUrl: string }).targetUrl).toBe(
      'https://x.example/secrets/a=b?key=[REDACTED]&sig=[REDACTED]&q=1&X-Amz-Signature=[REDACTED]',
    );
  });

  it('redacts headers', () => {
    const secret = ['X-Auth', 'X-Access-Key', 'X-Hub-Sig256', 'X-Hub-Signature', 'X-CSRF'];
    const headers = Object.fromEntries([...secret, 'X-Author', 'Accept'].map((name) => [name, 'v']));
    const { request } = read(of({ held: { headers, body: null, isBinary: false } })) as {
      request: { headers: object };
    };
    expect(request.headers).toEqual({
      ...Object.fromEntries(secret.map((name) => [name, '[REDACTED]'])),
      'X-Author': 'v',
      Accept: 'v',
    });
  });

  it('redacts a field of JSON whose value has quotes', () => {
    const body = '{"a": "b", "apiKey": "x\\"y", "nested": {"client_secret" : "z"}, "tokens": 5}';
    const { request } = read(of({ held: { headers: {}, body, isBinary: false } })) as { request: { body: string } };
    expect(JSON.parse(request.body)).toEqual({
      a: 'b',
      apiKey: '[REDACTED]',
      nested: { client_secret: '[REDACTED]' },
      tokens: 5,
    });
  });
});
