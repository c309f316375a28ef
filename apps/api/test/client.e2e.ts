import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { GatewayError, type GatewayRequest, type HeldAction } from '../../../libs/client/src/index.js';
import { caught, ClientGateway, losing, observed } from './support/client-gateway.js';
import { eventually } from './support/eventually.js';
import { startTcpProxy } from './support/tcp-proxy.js';

const world = new ClientGateway();

describe('the parts of a request', () => {
  it.each<[string, () => RequestInit['body'], string | undefined, string]>([
    ['a string', () => 'héllo', 'text/plain;charset=UTF-8', 'héllo'],
    ['an empty string', () => '', 'text/plain;charset=UTF-8', ''],
    ['URLSearchParams', () => new URLSearchParams({ a: '1 2', b: '&' }), undefined, 'a=1+2&b=%26'],
    ['a Blob', () => new Blob(['{"a":1}'], { type: 'application/vnd.x+json' }), 'application/vnd.x+json', '{"a":1}'],
    ['an ArrayBuffer', () => new TextEncoder().encode('[1]').buffer, 'application/json', '[1]'],
    ['a typed array', () => new TextEncoder().encode('plain'), 'text/plain; charset=utf-8', 'plain'],
    ['a stream', () => new Blob(['in ', 'parts']).stream(), 'text/plain; charset=utf-8', 'in parts'],
  ])('%s, with the content type that fetch gives it', async (_name, body, contentType, text) => {
    const answer = await world.client()(world.target('/things'), { method: 'POST', body: body() });
    expect(answer.status).toBe(200);
    const [call] = world.gateway.upstream.calls;
    expect(call.body.toString()).toBe(text);
    expect(call.headers['content-type']).toBe(contentType ?? 'application/x-www-form-urlencoded;charset=UTF-8');
  });

  it('a form, and a Request object with its own method, headers and body', async () => {
    const form = new FormData();
    form.set('name', 'Ada');
    await world.client()(world.target('/form'), { method: 'POST', body: form });
    expect(world.gateway.upstream.calls[0].headers['content-type']).toMatch(/^multipart\/form-data; ?boundary=/);
    expect(world.gateway.upstream.calls[0].body.toString()).toContain('name="name"\r\n\r\nAda');
    const request = new Request(world.target('/request'), {
      method: 'PUT',
      body: '{"a":1}',
      headers: { 'X-Thing': 'y' },
    });
    await world.client()(request);
    expect(world.gateway.upstream.calls[1]).toMatchObject({
      method: 'PUT',
      path: '/v1/request',
      headers: { 'x-thing': 'y' },
    });
    await world.client()(new URL(world.target('/url?q=1')));
    expect(world.gateway.upstream.calls[2]).toMatchObject({ method: 'GET', path: '/v1/url?q=1' });
  });

  it('any text body and any headers, byte for byte', async () => {
    const name = fc.stringMatching(/^x-[a-z0-9]{1,12}$/);
    const value = fc.stringMatching(/^[!-~]([ -~]{0,30}[!-~])?$/);
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 300 }).filter((text) => !text.includes('\0')),
        fc.dictionary(name, value, { maxKeys: 5 }),
        fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
        async (body, headers, method) => {
          world.gateway.upstream.calls.length = 0;
          await world.client()(world.target('/any'), { method, body: new TextEncoder().encode(body), headers });
          const [call] = world.gateway.upstream.calls;
          expect(call.method).toBe(method);
          expect(call.body.equals(Buffer.from(body))).toBe(true);
          const dropped = ['x-api-key', 'x-intent'];
          for (const [key, text] of Object.entries(headers)) {
            if (!dropped.includes(key)) expect(call.headers[key]).toBe(text);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a body that is not UTF-8, which the intent and the hold see as base64', async () => {
    const bytes = Uint8Array.of(0x89, 0x50, 0xff);
    const seen: unknown[] = [];
    const intent = ({ body, bodyBase64 }: GatewayRequest): string => `upload ${seen.push([body, bodyBase64])}`;
    const onHeld = async ({ actionId, body, bodyBase64 }: HeldAction): Promise<void> => {
      seen.push([body, bodyBase64]);
      await world.gateway.approve(actionId);
    };
    const answer = await world.client({ intent, onHeld })(world.target('/held/upload'), {
      method: 'POST',
      body: bytes,
    });
    expect([answer.status, seen]).toEqual([
      200,
      [
        [null, 'iVD/'],
        [null, 'iVD/'],
      ],
    ]);
    expect(world.gateway.upstream.calls[0].body.equals(bytes)).toBe(true);
    expect(world.gateway.upstream.calls).toHaveLength(1);
  });

  it('the intent: a text, a function of the request, or a header that is not forwarded', async () => {
    await world.client({ intent: async ({ method, url, body }) => `${method} ${url.slice(-5)} ${body}` })(
      world.target('/ideas'),
      {
        method: 'POST',
        body: 'b',
      },
    );
    await world.client()(world.target('/ideas'), { headers: { 'X-Intent': 'Read ideas' } });
    expect((await world.gateway.audit()).slice(0, 2).map(({ intent }) => intent)).toEqual([
      'Read ideas',
      'POST ideas b',
    ]);
    expect(world.gateway.upstream.calls[1].headers).not.toHaveProperty('x-intent');
  });
});

describe('the result of a call', () => {
  it.each([201, 204, 304, 404, 428, 500, 503])('a Response of the upstream with status %d', async (status) => {
    world.gateway.upstream.answer((_call, response) => response.writeHead(status, { 'X-Own': 'yes' }).end());
    const { fetch, routes } = observed();
    const answer = await world.client({ fetch })(world.target('/status'));
    expect(answer).toBeInstanceOf(Response);
    expect(answer.status).toBe(status);
    expect(answer.url).toBe(world.target('/status'));
    expect(answer.headers.get('x-own')).toBe('yes');
    expect(routes).toHaveLength(1);
  });

  it('unchanged bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    world.gateway.upstream.answer((_call, response) =>
      response.writeHead(200, { 'Content-Type': 'image/png' }).end(bytes),
    );
    const answer = await world.client()(world.target('/image'));
    expect(bytes.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
  });

  it('a redirect, which it does not follow, so that the agent key goes nowhere', async () => {
    world.gateway.upstream.answer((_call, response) => response.writeHead(302, { Location: '/v1/elsewhere' }).end());
    const answer = await world.client()(world.target('/moved'));
    expect(answer.status).toBe(302);
    expect(world.gateway.upstream.calls).toHaveLength(1);
    expect(await caught(world.client()(world.target('/moved'), { redirect: 'error' }))).toBeInstanceOf(TypeError);
  });

  it.each([
    ['a rule', '/never/x', {}, { status: 403, code: 'rule_denied', message: 'Denied by risk rule "Never"' }],
    ['another service', null, {}, { status: 404, message: expect.stringContaining('No service found') }],
    ['a wrong key', '/x', { agentKey: `agt_${'0'.repeat(64)}` }, { status: 401, message: 'Invalid Agent-Key' }],
    ['an intent that is too long', '/x', { intent: 'x'.repeat(501) }, { status: 400 }],
  ])('a GatewayError for a refusal, after one call: %s', async (_name, path, more, expected) => {
    const { fetch, routes } = observed();
    const url = path === null ? 'https://elsewhere.example.com/' : world.target(path);
    const error = await caught(world.client({ fetch, ...more })(url));
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject(expected);
    expect(error.code).toMatch(/^[a-z0-9_]+$/);
    expect(error.requestId).toEqual(expect.any(String));
    expect(routes).toHaveLength(1);
    expect(world.gateway.upstream.calls).toHaveLength(0);
  });

  it('an error for a server that is not a gateway', async () => {
    const error = await caught(world.client({ gatewayUrl: world.gateway.upstream.url })(world.target('/x')));
    expect(error).toMatchObject({ code: 'not_a_gateway', status: 200 });
  });
});

describe('when connections break', () => {
  it('a POST is repeated with the same key, and reaches the upstream once', async () => {
    const { fetch, routes, keys } = losing('POST /proxy');
    const answer = await world.client({ fetch })(world.target('/orders'), { method: 'POST', body: '{"n":1}' });
    expect(await answer.json()).toMatchObject({ body: '{"n":1}' });
    expect(routes).toEqual(['POST /proxy', 'POST /proxy']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(world.gateway.upstream.calls).toHaveLength(1);
  });

  it('an answer from a proxy in between is retried; Retry-After is kept', async () => {
    let times = 0;
    const { fetch, routes } = observed((_route, send) => {
      times++;
      if (times === 1) return Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 }));
      const body = JSON.stringify({ error: 'The gateway is shutting down', statusCode: 503 });
      if (times === 2) return Promise.resolve(new Response(body, { status: 503, headers: { 'Retry-After': '0' } }));
      return send();
    });
    expect((await world.client({ fetch })(world.target('/orders'))).status).toBe(200);
    expect(routes).toHaveLength(3);
  });

  it('a gateway that stays unreachable is an error after the retries', async () => {
    const { fetch, routes } = observed();
    const error = await caught(
      world.client({ fetch, gatewayUrl: 'http://127.0.0.1:9', retries: 2 })(world.target('/x')),
    );
    expect(error).toMatchObject({ code: 'gateway_unreachable', status: 0 });
    expect(routes).toHaveLength(3);
  });

  it('the wait continues when the gateway restarts, and the approval is executed once', async () => {
    const first = await world.gateway.secondInstance();
    const place = { host: '127.0.0.1', port: Number(new URL(first.url).port) };
    const link = await startTcpProxy(place);
    const url = world.heldTarget();
    const told: string[] = [];
    const onHeld = ({ actionId }: HeldAction) => void told.push(actionId);
    const held = world.client({ gatewayUrl: `http://127.0.0.1:${link.port}`, onHeld })(url, {
      method: 'POST',
      body: '{}',
    });
    const keyed = world.client({ gatewayUrl: `http://127.0.0.1:${link.port}` })(`${url}/2`, {
      method: 'POST',
      body: '{}',
    });
    const [{ action_id }, { action_id: other }] = [await world.actionOn(url), await world.actionOn(`${url}/2`)];
    await link.stop();
    await first.app.close();
    await world.gateway.approve(action_id);
    await world.gateway.approve(other);
    const second = await world.gateway.secondInstance();
    place.port = Number(new URL(second.url).port);
    await link.start();
    expect((await held).headers.get('x-proxy-status')).toBe('executed-approved');
    expect((await keyed).headers.get('x-proxy-status')).toBe('executed-approved');
    expect(told).toEqual([action_id]);
    expect(world.gateway.upstream.calls.map(({ path }) => path).sort()).toEqual(
      [url, `${url}/2`].map((each) => new URL(each).pathname).sort(),
    );
    await second.app.close();
    await link.stop();
  });
});

describe('parallel calls', () => {
  it('twenty calls, some held: each gets its own answer', async () => {
    const onHeld = ({ actionId }: HeldAction) => void world.gateway.approve(actionId);
    const fetch = world.client({ onHeld });
    const urls = Array.from({ length: 20 }, (_, index) =>
      index % 2 ? world.heldTarget() : world.target(`/free/${index}`),
    );
    const answers = await Promise.all(urls.map((url) => fetch(url, { method: 'POST', body: url })));
    expect(await Promise.all(answers.map(async (answer) => ((await answer.json()) as { body: string }).body))).toEqual(
      urls,
    );
    expect(world.gateway.upstream.calls).toHaveLength(20);
  });

  it('twenty identical DELETEs are one action, one execution, and twenty answers', async () => {
    const url = world.heldTarget();
    const fetch = world.client();
    const answers = Array.from({ length: 20 }, () => fetch(url, { method: 'DELETE' }));
    const { action_id } = await world.actionOn(url);
    await eventually(async () => (await world.storedAction(action_id)).times_asked === 20);
    await world.gateway.approve(action_id);
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(world.gateway.upstream.calls).toHaveLength(1);
  });

  it('twenty calls with the caller’s own key are one request, held or not; a repeat is a replay', async () => {
    for (const url of [world.target('/orders'), world.heldTarget()]) {
      world.gateway.upstream.calls.length = 0;
      const init = { method: 'POST', body: '{}', headers: { 'Idempotency-Key': randomUUID() } };
      const fetch = world.client();
      const answers = Array.from({ length: 20 }, () => fetch(url, init));
      if (url.includes('/held/')) await world.gateway.approve((await world.actionOn(url)).action_id);
      expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
      expect((await fetch(url, init)).status).toBe(200);
      expect(world.gateway.upstream.calls).toHaveLength(1);
      const other = await caught(fetch(url, { ...init, body: '{"other":1}' }));
      expect(other).toMatchObject({ status: 422 });
    }
  });
});

// These run last because they move the clock past every deadline.
