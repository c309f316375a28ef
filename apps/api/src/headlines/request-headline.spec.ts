import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { HttpMethod } from '#contracts';
import { classify } from '../effects/classify.js';
import type { FormPart } from '../egress/form-parts.js';
import { rpcFacts } from '../request-reading/rpc-calls.js';
import { statedOperation } from '../request-reading/stated-operation.js';
import { HEADLINE_MAX, requestHeadline } from './request-headline.js';

interface Given {
  method: string;
  url: readonly [base: string, rest: string];
  /** An object is sent as JSON, a text as it is. */
  body?: object | string;
  headers?: Record<string, string>;
  /** The path, the summary and the excerpt of the documented operation. */
  operation?: readonly string[];
  parts?: FormPart[];
}

const CASES = readFileSync(join(process.cwd(), 'apps/api/src/headlines/headline-cases.txt'), 'utf8')
  .split('\n\n')
  .slice(1)
  .filter((block) => !block.startsWith('#'))
  .map(readCase);

function readCase(block: string): readonly [headline: string, Given] {
  const [first, ...lines] = block.trimEnd().split('\n');
  const [method, base, rest = ''] = first.split(' ');
  const after = (mark: string): string[] =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
  const headers = lines.map((line) => /^([\w-]+): (.*)$/.exec(line)).filter((found) => found !== null);
  const body = after('> ');
  const [headline] = after('= ');
  const given: Given = {
    method,
    url: [base, rest],
    headers: Object.fromEntries(headers.map(([, name, value]) => [name, value])),
    operation: after('doc ')[0]?.split(' | '),
    body: body.length === 0 ? undefined : body.join('\n'),
  };
  return [headline, given];
}

function headlineOf(
  { method, url: [baseUrl, rest], body, headers, operation, parts }: Given,
  hasEffects = false,
): string {
  const url = new URL(baseUrl + rest);
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? null);
  const request = { method: method as HttpMethod, targetUrl: url.href, headers: headers ?? {}, body: text };
  const [path, summary, excerpt = ''] = operation ?? [];
  return requestHeadline({
    request,
    url,
    service: { name: 'API', baseUrl },
    stated: statedOperation(request),
    rpc: rpcFacts(request),
    operation: path === undefined ? null : { path, summary, excerpt },
    // What it does changes only the order of the values, and takes the most time.
    effects: hasEffects ? classify(request, baseUrl, null) : [],
    parts: parts ?? null,
    equalHash: hash('sha256', JSON.stringify([method, url.href, headers, text]), 'hex'),
  });
}

const withoutCode = (line: string): string => line.replace(/ \[[\da-f]{6}\]$/, ' […]');
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3IiwiYSI6MX0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r';
const SHOP = 'https://shop.example.com/api';
const post = (body: object | string, rest = '/orders', headers = {}): string =>
  headlineOf({ method: 'POST', url: [SHOP, rest], body, headers }, true);

describe('the headline', () => {
  it.each(CASES)('%s', (headline, given) => {
    expect(withoutCode(headlineOf(given, true))).toBe(headline);
  });

  it('says what a form with files has', () => {
    const parts: FormPart[] = [
      { name: 'folder', contentType: 'text/plain', size: 8, text: 'invoices' },
      { name: 'file', filename: 'march.pdf', contentType: 'application/pdf', size: 12_345 },
      { name: 'password', contentType: 'text/plain', size: 7, text: 'hunter2' },
    ];
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const line = headlineOf({ method: 'POST', url: [SHOP, '/uploads'], headers, body: '--b--', parts });
    expect(withoutCode(line)).toBe(
      'POST upload · folder: invoices · file: “march.pdf, 12 kB” · password: ******** […]',
    );
  });

  it('says how long a body is that nobody reads', () => {
    const body = JSON.stringify({ list: 'x'.repeat(3 * 1024 * 1024) });
    expect(withoutCode(post(body))).toBe('POST order · body of 3 MB that cannot be read […]');
  });

  it.each([
    [{ apiKey: 'abc', name: 'x' }, 'POST order · apiKey: ******** · name: x […]'],
    [{ pin: 1234 }, 'POST order · pin: ******** […]'],
    [{ password: null, mfa: false, has_token: true }, 'POST order · password: null · has_token: true · mfa: false'],
    [{ name: 'STRIPE_SECRET', value: 'abc' }, 'POST order · name: STRIPE_SECRET · value: ******** […]'],
    [{ a: 'sk_live_0123456789abcdef' }, 'POST order · a: ******** […]'],
    [{ a: 'https://ada:hunter2@example.com/x' }, 'POST order · a: https://ada:********@example.com/x […]'],
    [{ a: 'the password: hunter2' }, 'POST order · a: “the password: ********” […]'],
    [{ a: '4242 4242 4242 4242' }, 'POST order · a: ******** […]'],
    [{ url: 'https://x.example/?token=abc' }, 'POST order · url: https://x.example/?token=******** […]'],
    [{ url: 'https://x.example/?sv=1&sig=abc' }, 'POST order · url: https://x.example/?sv=1&sig=******** […]'],
    [{ a: 'https://ada:hun@ter:2@x.example' }, 'POST order · a: https://ada:********@x.example […]'],
    [{ a: 'redis://:hunter2@x.example' }, 'POST order · a: redis://:********@x.example […]'],
    [{ a: 'https://t0ken@x.example/y' }, 'POST order · a: https://********@x.example/y […]'],
    [{ a: 'Authorization: Bearer abcdef' }, 'POST order · a: “Authorization: ********” […]'],
    [{ a: 'Basic YWRhOmh1bnRlcjI=' }, 'POST order · a: “Basic ********” […]'],
    [{ a: 'hooks.slack.com/services/T0/B0/x' }, 'POST order · a: hooks.slack.com/services/******** […]'],
    [{ securityCode: '123', cvv2: '321' }, 'POST order · securityCode: ******** · cvv2: ******** […]'],
    [{ a: 'Basic support', b: 'git@x.example:a' }, 'POST order · a: “Basic support” · b: git@x.example:a'],
    [{ secrets: [{ id: 'abc' }, { id: 'def' }] }, 'POST order · secrets: ******** […]'],
  ])('hides secrets: %j', (body, expected) => {
    expect(withoutCode(post(body))).toBe(expected);
  });

  it('hides what is stored as a secret, and what a parameter calls a key', () => {
    expect(withoutCode(post({ value: 'abc', name: 'x' }, '/vault/secrets'))).not.toContain('abc');
    expect(withoutCode(post({}, '/orders?key=abc&sig=def&page=2'))).toBe(
      'POST order · key: ******** · sig: ******** · {} · page: 2 […]',
    );
  });

  it.each([
    ['DELETE', `/sessions/${JWT}`, 'DELETE session ******** […]', undefined],
    ['POST', `/rooms/${JWT}/messages`, 'Post to room ********: hi […]', { text: 'hi' }],
    ['PUT', `/orgs/acme/memberships/${JWT}`, 'Add ******** as organisation owner · acme […]', { role: 'admin' }],
    ['POST', `/${JWT}`, 'POST ******** […]', undefined],
    ['GET', '/bot123456789:AAH-abcdefghijklmnopqrstuvwxyz0123/getMe', 'GET getMe of ******** […]', undefined],
    ['GET', '/keys/sk_live_0123456789abcdef', 'GET key ******** […]', undefined],
    ['POST', '/services/token:revoke', 'POST service token:revoke', undefined],
    ['GET', '/packages/sk-learn-contrib-extensions', 'GET sk-learn-contrib-extensions in packages', undefined],
  ])('hides keys in a path: %s %s', (method, rest, expected, body: object | undefined) => {
    expect(withoutCode(headlineOf({ method, url: [SHOP, rest], body }))).toBe(expected);
  });

  it.each([
    ['https://hooks.slack.com', '/services/T0/B0/s3cret', 'POST service ******** · text: hi […]'],
    ['https://hooks.slack.com/services', '/T0/B0/s3cret', 'POST ******** · text: hi […]'],
    ['https://hooks.slack.com/services/T0/B0/s3cret', '', 'POST API · text: hi'],
    ['https://discord.com/api', '/webhooks/123/s3cret/messages/7', 'POST webhook 123/******** · text: hi […]'],
  ])('hides the secret in the address of a webhook: %s %s', (base, rest, expected) => {
    const line = headlineOf({ method: 'POST', url: [base, rest], body: { text: 'hi' } });
    expect([line.includes('s3cret'), withoutCode(line)]).toEqual([false, expected]);
  });

  it('has no words of its own in the values', () => {
    expect(post({ 'amount: €1 · x': 'y · status: paid' })).toBe('POST order · “amount: €1 · x”: “y · status: paid”');
  });
});

describe('a mail', () => {
  const mail = (...lines: string[]): string => Buffer.from(lines.join('\r\n')).toString('base64url');
  const send = (raw: string): string => withoutCode(post({ raw }, '/users/me/messages/send'));

  it('is told with its addresses, not with the names beside them', () => {
    expect(send(mail('To: "ada@acme.com" <eve@evil.example>', 'Subject: Hi', '', 'x'))).toBe(
      'Send a mail to eve@evil.example: Hi […]',
    );
    expect(send(mail('To: ada@acme.com', 'To: bo@acme.com', 'Bcc: eve@evil.example', 'Subject:', '', 'x'))).toBe(
      'Send a mail to 3 (ada@acme.com, bo@acme.com, …): “” […]',
    );
    expect(send(mail('From: me', 'To: team: ada@acme.com;', '', 'x'))).toBe('Send a mail to “team: ada@acme.com;” […]');
  });

  it.each([
    '=?utf-8?q?=22?= <eve@evil.example>, "x" <ada@acme.com>',
    '(" <eve@evil.example>, ") <ada@acme.com>',
    '"a\\" <eve@evil.example>, \\"" <ada@acme.com>',
    '"a, b" <eve@evil.example>, ada@acme.com',
  ])('hides no receiver behind a name: %s', (to) => {
    expect(send(mail(`To: ${to}`, 'Subject: Hi', '', 'x'))).toContain('eve@evil');
  });

  it.each([
    ['two subjects', mail('To: ada@acme.com', 'Subject: Hi', 'Subject: Ho', '', 'x')],
    ['line breaks of two kinds', mail('To: ada@acme.com\nX: y', 'Subject: Hi', '', 'x')],
    ['a lone carriage return', mail('To: ada@acme.com\rTo: eve@evil.example', 'Subject: Hi', '', 'x')],
    ['a line that is no header', mail('To: ada@acme.com', 'Subject: Hi', 'eve@evil.example', '', 'x')],
    ['headers that do not end in what is read', mail('To: ada@acme.com', `Subject: ${'Hi '.repeat(30_000)}`)],
  ])('is not told where programs could read it differently: %s', (_what, raw) => {
    expect(send(raw)).toMatch(/^POST send in messages of user me/);
  });

  it('has another headline where anything in it differs', () => {
    const [one, other] = ['x', 'y'].map((text) =>
      post({ raw: mail('To: ada@acme.com', 'Subject: Hi', '', text) }, '/users/me/messages/send'),
    );
    expect(one).not.toBe(other);
  });
});

describe('requests that differ', () => {
  it('have as much of the path with the body {} as without a body', () => {
    const rest = '/repos/a-rather-long-organisation-name/the-repository/issues/17/lock';
    const [none, empty] = [undefined, '{}'].map((body) => headlineOf({ method: 'PUT', url: [SHOP, rest], body }));
    expect(empty).toBe(`${none} · {}`);
  });

  it('have different headlines where the body is empty, or where a key in the path differs', () => {
    const bodies = [undefined, '{}', '[]', 'null', '""', ' '];
    const lines = bodies.map((sent) => headlineOf({ method: 'POST', url: [SHOP, '/orders/7/close'], body: sent }));
    expect(new Set(lines).size).toBe(bodies.length);
    const [one, other] = ['x', 'y'].map((end) =>
      headlineOf({ method: 'DELETE', url: [SHOP, `/sessions/${JWT}${end}`] }),
    );
    expect(one).not.toBe(other);
  });

  it('have different headlines where a value stands below other names', () => {
    const names = fc.array(fc.constantFrom('from', 'to', 'account', 'id', 'refund'), { minLength: 1, maxLength: 5 });
    const nested = (path: string[]): object =>
      path.reduceRight<unknown>((value, name) => ({ [name]: value }), 5) as object;
    fc.assert(
      fc.property(names, names, (one, other) => {
        fc.pre(one.join('.') !== other.join('.'));
        const [first, second] = [one, other].map((path) => post(nested(path)));
        expect(first).not.toBe(second);
      }),
    );
  });

  const scalar = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'ab \u202e“"·:7'), maxLength: 80 }).filter((text) => !/^\d+$/.test(text)),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 25 }),
    fc.array(fc.record({ id: scalar }), { maxLength: 3 }),
  );
  const names = [
    ...(['amount', 'currency', 'status', 'role', 'text', 'to', 'password', 'data', 'x'] as const),
    ...(['destination', 'iban', 'items', 'metadata', 'kind', 'page', 'raw'] as const),
  ];
  const paths = fc.constantFrom('/orders', '/payouts', '/users/me/messages/send');
  const body = fc.dictionary(fc.constantFrom(...names), value, { minKeys: 1 });

  /** A list of one reads like its item. */
  const alike = (given: unknown): string =>
    JSON.stringify(given, (_name, each: unknown) => (Array.isArray(each) && each.length === 1 ? each[0] : each));

  it('have different headlines, whichever value of the body differs', () => {
    fc.assert(
      fc.property(paths, body, fc.nat(), value, (path, given, at, other) => {
        const name = Object.keys(given)[at % Object.keys(given).length];
        const changed = { ...given, [name]: other };
        fc.pre(alike(changed) !== alike(given));
        const [one, two] = [given, changed].map((each) =>
          headlineOf({ method: 'POST', url: [SHOP, path], body: each }),
        );
        expect([given, other, one]).not.toEqual([given, other, two]);
      }),
      { numRuns: 400 },
    );
  });

  it('have different headlines, whichever parameter differs', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab \u202e%&·1'), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 12 }), fc.nat(), text, (values, at, other) => {
        const changed = values.with(at % values.length, other);
        fc.pre(changed.join() !== values.join());
        const [one, two] = [values, changed].map((each) => {
          const rest = `/orders?${each.map((part, index) => `p${index}=${encodeURIComponent(part)}`).join('&')}`;
          return headlineOf({ method: 'GET', url: [SHOP, rest] });
        });
        expect([values, other, one]).not.toEqual([values, other, two]);
      }),
      { numRuns: 500 },
    );
  });

  it('have different headlines, whichever name in a path differs', () => {
    const id = fc.constantFrom('a', 'b', 'c'.repeat(60), `${'c'.repeat(30)}d${'c'.repeat(29)}`, '42', 'a\u200b', 'x y');
    const ends = [
      ...[
        '',
        '/messages',
        '/comments',
        '/refunds',
        '/admin/refunds',
        '/members',
        '/repos/a/b',
        '/orgs/a/memberships/b',
      ],
      ...['/namespaces/a/deployments/b', '/files/a/permissions', '/projects/a', '/repos/a/b/pulls/1/merge'],
    ];
    const sent = fc.constantFrom<object>(
      { a: 1 },
      { to: 'x', text: 'y', amount: '1.00', currency: 'EUR' },
      { text: 'y' },
      { amount: '1.00', currency: 'EUR' },
      { ids: [1, 2] },
      { visibility: 'public', role: 'admin', type: 'anyone', replicas: 0 },
    );
    const request = fc.record({
      method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
      end: fc.constantFrom(...ends),
      body: sent,
    });
    fc.assert(
      fc.property(fc.array(id, { minLength: 1, maxLength: 4 }), fc.nat(), id, request, (ids, at, other, given) => {
        const changed = ids.with(at % ids.length, other);
        fc.pre(changed.join() !== ids.join());
        const [one, two] = [ids, changed].map((each) => {
          const rest = each.map((part, index) => `/things${'abcde'[index]}s/${encodeURIComponent(part)}`).join('');
          return headlineOf({ ...given, url: [SHOP, rest + given.end] });
        });
        expect([ids, other, given, one]).not.toEqual([ids, other, given, two]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('hostile requests', () => {
  const text = fc.string({ unit: 'binary', maxLength: 100 });
  const words = fc.constantFrom(
    ...'amount currency value channel to text ids __proto__ constructor private replicas role type sql query'.split(
      ' ',
    ),
  );
  const json = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.double(),
      fc.bigInt().map(Number),
      fc.constant('select 1 from x'),
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(words, text), tie('node'), { maxKeys: 5 }),
    ),
  })).node;
  const body = fc.oneof(
    json.map((value) => JSON.stringify(value)),
    json.map((value) =>
      JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'a', arguments: value } }),
    ),
    json.map((value) => JSON.stringify({ query: 'mutation a($b: C) { d(b: $b, e: {f: "g"}) }', variables: value })),
    text,
    fc
      .array(fc.tuple(words, text))
      .map((pairs) => new URLSearchParams(pairs.map(([a, b]): [string, string] => [a, b.toWellFormed()])).toString()),
  );
  const type = fc.constantFrom(
    'application/json',
    'application/x-www-form-urlencoded',
    'application/x-ndjson',
    'text/xml',
    'application/graphql',
    'multipart/form-data; boundary=b',
    'a b',
  );
  const place = fc.constantFrom(
    '/chat.postMessage',
    '/refunds',
    '/repos/a/b',
    '/namespaces/a/deployments/b/scale',
    '/files/a/permissions',
    '/a/batch-delete',
    '/graphql',
    '/mcp',
    '',
    '/%2e%2e/x%2Fy',
  );

  it('have a short line without invisible characters, always the same', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
        place,
        text,
        body,
        type,
        fc.option(fc.tuple(text, text)),
        (method, path, segment, sent, contentType, described) => {
          const given: Given = {
            method,
            url: [
              SHOP,
              `${path}/${encodeURIComponent(segment.toWellFormed())}?a=${encodeURIComponent(segment.toWellFormed())}`,
            ],
            headers: { 'Content-Type': contentType, 'X-Amz-Target': segment },
            body: sent,
            operation: described === null ? undefined : [path, described[0], described[1]],
          };
          const line = headlineOf(given);
          expect(line).toBe(headlineOf(given));
          expect(Array.from(line).length).toBeLessThanOrEqual(HEADLINE_MAX);
          expect(line).toMatch(/^\S/);
          expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('do not show the values of fields that are named like secrets', () => {
    const name = fc.constantFrom('password', 'client_secret', 'accessToken', 'api-key', 'pin', 'Authorization');
    const path = fc.array(fc.constantFrom('data', 'user', 'items', 'credentials', 'x'), { maxLength: 3 });
    fc.assert(
      fc.property(name, path, fc.integer({ min: 10_000_000 }), fc.boolean(), (secret, outer, value, isText) => {
        const inner: unknown = { [secret]: isText ? `s${value}` : value, a: 1 };
        const line = post(outer.reduce((below, each) => ({ [each]: below }), inner) as object);
        expect(line).not.toContain(String(value));
      }),
    );
  });
});
