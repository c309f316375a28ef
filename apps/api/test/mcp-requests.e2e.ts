import { SECRET, type Gateway } from './support/gateway.js';
import type { McpAgent, McpAnswerFields } from './support/mcp-client.js';
import { McpShop } from './support/mcp-shop.js';
import { createRule } from './support/resources.js';

let shop: McpShop;
let agent: McpAgent;
let countCalls: McpShop['countCalls'];
let gateway: Gateway;
let place: McpShop['place'];
let read: McpShop['read'];
let url: string;
beforeAll(async () => {
  shop = await McpShop.start();
  ({ agent, countCalls, gateway, place, read, url } = shop);
});
afterAll(() => shop?.close());

describe('a request', () => {
  it('is forwarded, and the result says so', async () => {
    gateway.upstream.answer((_call, response) => {
      response.writeHead(200, {
        'Content-Type': 'application/json',
        Link: '<https://a.example?page=2>; rel="next"',
        'X-RateLimit-Remaining': '7',
        'X-Internal': 'of no use',
      });
      response.end('{"id":42}');
    });
    expect(await agent.ask('request', read('/customers/42', { headers: { Accept: 'application/json' } }))).toEqual({
      status: 'FORWARDED',
      executed: true,
      response: {
        status: 200,
        headers: {
          'content-type': 'application/json',
          'x-ratelimit-remaining': '7',
          'x-upstream-link': '<https://a.example?page=2>; rel="next"',
        },
        body: '{"id":42}',
      },
    });
    const { headers } = gateway.upstream.calls.at(-1)!;
    expect(headers).toMatchObject({ accept: 'application/json', authorization: `Bearer ${SECRET}` });
    const [record] = await gateway.audit();
    expect(record).toMatchObject({ kind: 'request', outcome: 'forwarded', url: `${url}/customers/42`, intent: 'look' });
  });

  it('never shows the secret, even when the API echoes it', async () => {
    gateway.upstream.answer((call, response) => response.end(JSON.stringify(call.headers)));
    const result = await agent.call('request', read('/echo'));
    expect(JSON.stringify(result)).toContain('[REDACTED]');
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  it('with an error from the API still returns the response', async () => {
    gateway.upstream.answer((_call, response) => response.writeHead(404).end('no such customer'));
    const result = await agent.call('request', read('/customers/43'));
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({
      executed: true,
      response: { status: 404, body: 'no such customer' },
    });
  });

  it('with a long response is truncated, and says how to get the rest', async () => {
    gateway.upstream.answer((_call, response) => response.end(`${'x'.repeat(99)}\u{1f600}${'y'.repeat(100)}`));
    const cut = await agent.ask('request', read('/long', { maxBodyChars: 100 }));
    expect(cut.response).toMatchObject({ body: 'x'.repeat(99), bodyTruncated: true, bodyChars: 201 });
    expect(cut.next).toMatch(/^The body was cut after 99 of 201 characters\. To read more, ask for less/);

    const keyed = await agent.ask('request', place('{}', { maxBodyChars: 10, idempotencyKey: 'long-one' }));
    expect(keyed.next).toContain('idempotencyKey "long-one" and a larger maxBodyChars: the request is not sent again');
    const before = countCalls('/orders');
    const whole = await agent.ask('request', place('{}', { idempotencyKey: 'long-one' }));
    expect(whole.response.body).toHaveLength(201);
    expect(countCalls('/orders')).toBe(before);
  });

  it('with a binary response returns base64', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0xff, 0x00]);
    gateway.upstream.answer((_call, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(bytes));
    expect((await agent.ask('request', read('/logo'))).response).toMatchObject({
      body: bytes.toString('base64'),
      bodyEncoding: 'base64',
    });
  });

  it('without an idempotency key gets one that a retry can use', async () => {
    gateway.upstream.answer((_call, response) => response.writeHead(201).end('{"order":1}'));
    const before = countCalls('/orders');
    const first = await agent.ask('request', place('{"sku":1}'));
    expect(first.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    const retry = await agent.ask('request', place('{"sku":1}', { idempotencyKey: first.idempotencyKey }));
    expect(retry).toEqual(first);
    expect(countCalls('/orders')).toBe(before + 1);
    const other = await agent.call('request', place('{"sku":2}', { idempotencyKey: first.idempotencyKey }));
    expect(other).toMatchObject({
      isError: true,
      structuredContent: {
        status: 'ERROR',
        executed: false,
        statusCode: 422,
        errorCode: 'idempotency_conflict',
        idempotencyKey: first.idempotencyKey,
        next: 'Nothing was sent. Use a new idempotencyKey for a different request.',
      },
    });
  });

  it('sends bodyBase64 as bytes, and refuses texts that are not base64', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const given = { method: 'POST', targetUrl: `${url}/files`, intent: 'upload' };
    const sent = await agent.ask('request', {
      ...given,
      bodyBase64: bytes.toString('base64'),
      idempotencyKey: 'bytes',
    });
    expect(sent).toMatchObject({ status: 'FORWARDED' });
    expect(gateway.upstream.calls.at(-1)!.body.equals(bytes)).toBe(true);
    const refused = (more: object) => agent.ask('request', { ...given, idempotencyKey: 'no-bytes', ...more });
    expect(await refused({ bodyBase64: 'no base64!' })).toMatchObject({
      status: 'ERROR',
      error: 'bodyBase64: must be base64 with padding and without line breaks',
    });
    expect(await refused({ bodyBase64: 'AA==', body: 'x' })).toMatchObject({
      error: 'bodyBase64: send either body or bodyBase64, not both',
    });
  });

  it.each([
    ['denied by a rule', { targetUrl: '/refunds' }, 403, 'rule_denied', 'Denied by risk rule "No refunds"'],
    [
      'outside of the service',
      { targetUrl: '/../admin' },
      403,
      'target_outside_service',
      'Target path must start with',
    ],
    ['with an invalid body', { body: 'x' }, 400, 'body_not_allowed', 'body: must not be present on GET requests'],
    [
      'with an invalid header',
      { headers: { 'a b': 'c' } },
      400,
      'invalid_request',
      'headers: "a b" is not a valid header name',
    ],
    [
      'with an agent key in base64 in a header',
      { headers: { 'X-Auth': Buffer.from(`user:agt_${'0'.repeat(64)}`).toString('base64') } },
      400,
      'agent_key_exposed',
      'headers.X-Auth: must not contain an agent key',
    ],
  ])('%s is an error that says what to do', async (_what, more, statusCode, errorCode, error) => {
    const before = gateway.upstream.calls.length;
    const given = read('/x', more);
    if ('targetUrl' in more) given.targetUrl = url + more.targetUrl;
    const result = await agent.call('request', given);
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { status: 'ERROR', executed: false, statusCode, errorCode, next: expect.any(String) },
    });
    expect((result.structuredContent as unknown as McpAnswerFields).error).toContain(error);
    expect(gateway.upstream.calls.length).toBe(before);
  });

  it('to a service out of scope is an error, and recorded like any refusal', async () => {
    const targetUrl = 'https://elsewhere.example/x';
    expect(await agent.ask('request', { method: 'GET', targetUrl, intent: 'wander' })).toMatchObject({
      statusCode: 404,
      errorCode: 'service_unknown',
      next: 'Nothing was sent. Call list_services to see which base URLs you may reach.',
    });
    expect((await gateway.audit())[0]).toMatchObject({
      outcome: 'refused',
      url: targetUrl,
      intent: 'wander',
      status: 404,
    });
  });

  it('with an unknown outcome says so, and is not sent again', async () => {
    gateway.upstream.answer((_call, response) => void response.socket?.destroy());
    const before = countCalls('/orders');
    const lost = await agent.ask('request', place('{}', { idempotencyKey: 'lost' }));
    expect(lost).toMatchObject({ status: 'ERROR', executed: null, statusCode: 502, errorCode: 'outcome_unknown' });
    expect(lost.next).toContain('check with a GET first');
    expect(await agent.ask('request', place('{}', { idempotencyKey: 'lost' }))).toEqual(lost);
    expect(countCalls('/orders')).toBe(before + 1);
  });

  it('with invalid arguments is an error that names each of them', async () => {
    const result = await agent.ask('request', { method: 'FETCH', targetUrl: 7, headers: { a: 1 }, waitSeconds: 61 });
    expect(result.error).toBe(
      'intent: is required; method: must be one of GET, POST, PUT, DELETE, PATCH, HEAD, OPTIONS; targetUrl: must be a string; ' +
        'headers: must be an object whose values are strings; waitSeconds: must be an integer from 0 to 60',
    );
  });
});

it('applies a rule that was created a moment ago', async () => {
  gateway.upstream.answer((_call, response) => response.end('{}'));
  expect((await agent.ask('request', read('/fresh'))).status).toBe('FORWARDED');
  await createRule(gateway.app, gateway.token, gateway.service.id, { name: 'Closed', pathPattern: '/fresh' });
  expect((await agent.ask('request', read('/fresh'))).error).toBe('Denied by risk rule "Closed"');
});

it('a limit that is used up is an error that says for how long, and answers before it say what is left', async () => {
  const rule = await gateway.admin<{ id: number }>(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Few reads',
    effect: 'limit',
    pathPattern: '/few',
    limit: { count: 1, per: 'day', then: 'deny' },
  });
  gateway.upstream.answer((_call, response) => response.end('{}'));
  expect(await agent.ask('request', read('/few'))).toMatchObject({
    status: 'FORWARDED',
    response: {
      headers: {
        ratelimit: expect.stringMatching(/^"Few reads";r=0;t=\d+$/),
        'ratelimit-policy': '"Few reads";q=1;w=86400',
      },
    },
  });
  expect(await agent.ask('request', read('/few'))).toMatchObject({
    status: 'ERROR',
    executed: false,
    error: 'Limit reached: Few reads',
    statusCode: 429,
    errorCode: 'limit_reached',
    next: expect.stringMatching(
      /^Nothing was sent. This limit allows at most 1 per day, and its window ends in \d+ seconds: /,
    ),
  });
  await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${rule.id}`);
});
