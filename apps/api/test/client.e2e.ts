import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Action } from '#contracts';
import {
  ApprovalDenied,
  ApprovalExpired,
  ApprovalPending,
  createGatewayFetch,
  GatewayError,
  resumeAction,
  revisionOf,
  type Fetch,
  type GatewayOptions,
  type GatewayRequest,
  type HeldAction,
  type Revision,
} from '../../../libs/client/src/index.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { startTcpProxy } from './support/tcp-proxy.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Ask',
    effect: 'require_approval',
    pathPattern: '/held/**',
  });
  await gateway.admin(`POST /services/${gateway.service.id}/risk-rules`, {
    name: 'Never',
    effect: 'deny',
    pathPattern: '/never/**',
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer((call, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ method: call.method, path: call.path, body: call.body.toString() }));
  });
});

const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;
const heldTarget = (): string => target(`/held/${randomUUID()}`);
const storedAction = (id: string): Promise<Action> => gateway.admin<Action>(`GET /approvals/${id}`);
const settings = (more: Partial<GatewayOptions> = {}): GatewayOptions => ({
  gatewayUrl: gateway.url,
  agentKey: gateway.agentKey,
  intent: 'Look after customers',
  ...more,
});
const client = (more?: Partial<GatewayOptions>): Fetch => createGatewayFetch(settings(more));
type Caught = Error & { code: string; requestId: string | null; actionId: string };
const caught = async (promise: Promise<unknown>): Promise<Caught> => {
  try {
    await promise;
  } catch (error) {
    return error as Caught;
  }
  throw new Error('did not reject');
};
/** The one action for this target, as soon as it exists. */
const actionOn = (url: string): Promise<Action> =>
  eventually(async () => {
    const { items } = await gateway.admin<{ items: Action[] }>('GET /approvals?limit=200');
    return items.find(({ targetUrl }) => targetUrl === url);
  });

/** The platform's fetch, which records its calls and lets a test change its behaviour. */
function observed(
  disturb: (route: string, send: () => Promise<Response>) => Promise<Response> = (_route, send) => send(),
) {
  const routes: string[] = [];
  const keys: (string | undefined)[] = [];
  const fetch: Fetch = (input, init) => {
    const route = `${init?.method} ${new URL(input).pathname.replace(/[0-9a-f-]{36}$/, ':id')}`;
    routes.push(route);
    keys.push((init?.headers as Record<string, string>)['Idempotency-Key']);
    return disturb(route, () => globalThis.fetch(input, init));
  };
  return { fetch, routes, keys };
}
/** Lets a call do its work once, and then loses the answer. */
function losing(lost: string) {
  let times = 0;
  return observed(async (route, send) => {
    const answer = await send();
    if (route === lost && ++times === 1) throw new TypeError('fetch failed');
    return answer;
  });
}

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
    const answer = await client()(target('/things'), { method: 'POST', body: body() });
    expect(answer.status).toBe(200);
    const [call] = gateway.upstream.calls;
    expect(call.body.toString()).toBe(text);
    expect(call.headers['content-type']).toBe(contentType ?? 'application/x-www-form-urlencoded;charset=UTF-8');
  });

  it('a form, and a Request object with its own method, headers and body', async () => {
    const form = new FormData();
    form.set('name', 'Ada');
    await client()(target('/form'), { method: 'POST', body: form });
    expect(gateway.upstream.calls[0].headers['content-type']).toMatch(/^multipart\/form-data; ?boundary=/);
    expect(gateway.upstream.calls[0].body.toString()).toContain('name="name"\r\n\r\nAda');
    const request = new Request(target('/request'), { method: 'PUT', body: '{"a":1}', headers: { 'X-Thing': 'y' } });
    await client()(request);
    expect(gateway.upstream.calls[1]).toMatchObject({
      method: 'PUT',
      path: '/v1/request',
      headers: { 'x-thing': 'y' },
    });
    await client()(new URL(target('/url?q=1')));
    expect(gateway.upstream.calls[2]).toMatchObject({ method: 'GET', path: '/v1/url?q=1' });
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
          gateway.upstream.calls.length = 0;
          await client()(target('/any'), { method, body: new TextEncoder().encode(body), headers });
          const [call] = gateway.upstream.calls;
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
      await gateway.approve(actionId);
    };
    const answer = await client({ intent, onHeld })(target('/held/upload'), { method: 'POST', body: bytes });
    expect([answer.status, seen]).toEqual([
      200,
      [
        [null, 'iVD/'],
        [null, 'iVD/'],
      ],
    ]);
    expect(gateway.upstream.calls[0].body.equals(bytes)).toBe(true);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('the intent: a text, a function of the request, or a header that is not forwarded', async () => {
    await client({ intent: async ({ method, url, body }) => `${method} ${url.slice(-5)} ${body}` })(target('/ideas'), {
      method: 'POST',
      body: 'b',
    });
    await client()(target('/ideas'), { headers: { 'X-Intent': 'Read ideas' } });
    expect((await gateway.audit()).slice(0, 2).map(({ intent }) => intent)).toEqual(['Read ideas', 'POST ideas b']);
    expect(gateway.upstream.calls[1].headers).not.toHaveProperty('x-intent');
  });
});

describe('the result of a call', () => {
  it.each([201, 204, 304, 404, 428, 500, 503])('a Response of the upstream with status %d', async (status) => {
    gateway.upstream.answer((_call, response) => response.writeHead(status, { 'X-Own': 'yes' }).end());
    const { fetch, routes } = observed();
    const answer = await client({ fetch })(target('/status'));
    expect(answer).toBeInstanceOf(Response);
    expect(answer.status).toBe(status);
    expect(answer.url).toBe(target('/status'));
    expect(answer.headers.get('x-own')).toBe('yes');
    expect(routes).toHaveLength(1);
  });

  it('unchanged bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    gateway.upstream.answer((_call, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(bytes));
    const answer = await client()(target('/image'));
    expect(bytes.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
  });

  it('a redirect, which it does not follow, so that the agent key goes nowhere', async () => {
    gateway.upstream.answer((_call, response) => response.writeHead(302, { Location: '/v1/elsewhere' }).end());
    const answer = await client()(target('/moved'));
    expect(answer.status).toBe(302);
    expect(gateway.upstream.calls).toHaveLength(1);
    expect(await caught(client()(target('/moved'), { redirect: 'error' }))).toBeInstanceOf(TypeError);
  });

  it.each([
    ['a rule', '/never/x', {}, { status: 403, code: 'rule_denied', message: 'Denied by risk rule "Never"' }],
    ['another service', null, {}, { status: 404, message: expect.stringContaining('No service found') }],
    ['a wrong key', '/x', { agentKey: `agt_${'0'.repeat(64)}` }, { status: 401, message: 'Invalid Agent-Key' }],
    ['an intent that is too long', '/x', { intent: 'x'.repeat(501) }, { status: 400 }],
  ])('a GatewayError for a refusal, after one call: %s', async (_name, path, more, expected) => {
    const { fetch, routes } = observed();
    const url = path === null ? 'https://elsewhere.example.com/' : target(path);
    const error = await caught(client({ fetch, ...more })(url));
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject(expected);
    expect(error.code).toMatch(/^[a-z0-9_]+$/);
    expect(error.requestId).toEqual(expect.any(String));
    expect(routes).toHaveLength(1);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('an error for a server that is not a gateway', async () => {
    const error = await caught(client({ gatewayUrl: gateway.upstream.url })(target('/x')));
    expect(error).toMatchObject({ code: 'not_a_gateway', status: 200 });
  });
});

describe('a held request', () => {
  it('reports the hold, waits, and is executed once, in three calls', async () => {
    const { fetch, routes } = observed();
    const url = heldTarget();
    const told: HeldAction[] = [];
    const onHeld = async (held: HeldAction) => {
      told.push(held);
      expect(gateway.upstream.calls).toHaveLength(0);
      void gateway.approve(held.actionId);
    };
    const answer = await client({ fetch, onHeld })(url, { method: 'DELETE' });
    expect(await answer.json()).toMatchObject({ method: 'DELETE' });
    expect(answer.headers.get('x-proxy-status')).toBe('executed-approved');
    expect(answer.url).toBe(url);
    const [{ actionId }] = told;
    expect(told).toMatchObject([
      {
        summary: `DELETE ${url}`,
        intent: 'Look after customers',
        dashboardUrl: `${gateway.url}/dashboard/approvals/${actionId}`,
        riskExplanation: 'Risk rule "Ask" requires approval',
      },
    ]);
    expect(routes).toEqual(['POST /proxy', 'GET /status/:id', 'POST /proxy/execute/:id']);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('costs one call when it has a key and the caller gives no onHeld', async () => {
    const { fetch, routes } = observed();
    const url = heldTarget();
    const answer = client({ fetch })(url, { method: 'POST', body: '{}' });
    await gateway.approve((await actionOn(url)).action_id);
    expect((await answer).status).toBe(200);
    expect(routes).toEqual(['POST /proxy']);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('that is denied: ApprovalDenied with the note, without a second request', async () => {
    const { fetch, routes } = observed();
    const onHeld = ({ actionId }: HeldAction) => void gateway.deny(actionId, 'Ask the customer first');
    const error = await caught(client({ fetch, onHeld })(heldTarget(), { method: 'POST', body: '{}' }));
    expect(error).toBeInstanceOf(ApprovalDenied);
    expect(error).toMatchObject({ name: 'ApprovalDenied', code: 'approval_denied', note: 'Ask the customer first' });
    expect(routes.filter((route) => route === 'POST /proxy')).toHaveLength(1);

    const url = heldTarget();
    const waiting = caught(client()(url, { method: 'POST', body: '{}' }));
    await gateway.deny((await actionOn(url)).action_id);
    expect(await waiting).toMatchObject({ name: 'ApprovalDenied', note: null });
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  describe('that a person revises', () => {
    /** Revises the action of a target. @returns the revision */
    const revise = async (url: string): Promise<Action> =>
      gateway.admin<Action>(`POST /approvals/${(await actionOn(url)).action_id}/revise`, {
        targetUrl: `${url}-changed`,
        body: '{"amount":500}',
      });

    it.each<[string, Partial<GatewayOptions>, string]>([
      ['in one long call', {}, 'POST'],
      ['after a hold', { onHeld: () => undefined }, 'POST'],
      ['without a key', {}, 'DELETE'],
    ])('is executed as revised, after the caller was called back: %s', async (_how, options, method) => {
      const url = heldTarget();
      const told: Revision[] = [];
      const onRevised = (revision: Revision): void => {
        expect(gateway.upstream.calls).toHaveLength(0);
        told.push(revision);
      };
      const waiting = client({ ...options, onRevised })(url, { method, body: '{"amount":50000}' });
      const asked = await actionOn(url);
      const revision = await revise(url);
      const answer = await waiting;
      expect(await answer.json()).toMatchObject({ body: '{"amount":500}' });
      expect(answer.url).toBe(`${url}-changed`);
      expect(told).toMatchObject([
        {
          actionId: revision.action_id,
          revises: asked.action_id,
          request: { method, url: `${url}-changed`, body: '{"amount":500}' },
        },
      ]);
      expect(revisionOf(answer)).toBe(told[0]);
      expect(gateway.upstream.calls).toHaveLength(1);

      // The first action still leads to the answer.
      const again = await resumeAction(settings({ onRevised: () => undefined }), asked.action_id);
      expect(await again.json()).toMatchObject({ body: '{"amount":500}' });
      expect(revisionOf(again)).toEqual({ actionId: revision.action_id, revises: asked.action_id, request: null });
      expect(gateway.upstream.calls).toHaveLength(1);
    });

    it('is not executed when the caller rejects', async () => {
      const url = heldTarget();
      const onRevised = () => Promise.reject(new Error('not what I asked for'));
      const waiting = caught(client({ onRevised })(url, { method: 'POST', body: '{}' }));
      const { action_id } = await revise(url);
      expect((await waiting).message).toBe('not what I asked for');
      expect(await storedAction(action_id)).toMatchObject({ status: 'APPROVED' });
      expect(gateway.upstream.calls).toHaveLength(0);
    });

    it('is reported on the console if there is no listener', async () => {
      const warn = jest.spyOn(console, 'warn').mockImplementation();
      const url = heldTarget();
      const waiting = client()(url, { method: 'POST', body: '{}' });
      const { revises } = await revise(url);
      await waiting;
      const text = `Agent Gateway: a person changed the request of action ${revises}, and POST ${url}-changed is executed in its place.`;
      expect(warn.mock.calls).toEqual([[text]]);
      warn.mockRestore();
    });

    it('is denied, expired or waited for like any other', async () => {
      const rule = await gateway.admin<{ id: number }>(`POST /services/${gateway.service.id}/risk-rules`, {
        name: 'Two',
        effect: 'require_approval',
        approvals: 2,
        pathPattern: '/held/two-changed',
      });
      const url = target('/held/two');
      const held: HeldAction[] = [];
      const onHeld = (action: HeldAction) => void held.push(action);
      const pending = caught(client({ onHeld, waitSeconds: 3 })(url, { method: 'DELETE' }));
      const revision = await revise(url);
      expect(await pending).toMatchObject({ name: 'ApprovalPending', actionId: revision.action_id });
      const waiting = caught(resumeAction(settings(), held[0].actionId));
      await gateway.deny(revision.action_id, 'No');
      expect(await waiting).toMatchObject({ name: 'ApprovalDenied', actionId: revision.action_id, note: 'No' });
      await gateway.admin(`DELETE /services/${gateway.service.id}/risk-rules/${rule.id}`);
      expect(gateway.upstream.calls).toHaveLength(0);
    });
  });

  it('stops with the signal; the request stays in the queue and can be resumed', async () => {
    const abort = new AbortController();
    const url = heldTarget();
    const held = caught(client({ onHeld: () => undefined })(url, { method: 'DELETE', signal: abort.signal }));
    const { action_id } = await actionOn(url);
    await eventually(async () => (await storedAction(action_id)).last_polled_at);
    abort.abort();
    expect(await held).toMatchObject({ name: 'AbortError' });
    expect(await storedAction(action_id)).toMatchObject({ status: 'PENDING' });

    const resumed = resumeAction(settings(), action_id);
    await gateway.approve(action_id);
    expect((await resumed).status).toBe(200);
    expect(gateway.upstream.calls).toHaveLength(1);
    expect((await resumeAction(settings(), action_id)).status).toBe(200);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('stops with the signal during one long call too, and before anything is sent', async () => {
    const abort = new AbortController();
    const url = heldTarget();
    const held = caught(client()(url, { method: 'POST', body: '{}', signal: abort.signal }));
    const { action_id } = await actionOn(url);
    abort.abort(new Error('enough'));
    expect(await held).toMatchObject({ message: 'enough' });
    expect(await storedAction(action_id)).toMatchObject({ status: 'PENDING' });

    const { fetch, routes } = observed();
    expect(await caught(client({ fetch })(url, { signal: AbortSignal.abort() }))).toMatchObject({ name: 'AbortError' });
    expect(routes).toEqual([]);
  });

  it('is waited for no longer than waitSeconds: ApprovalPending', async () => {
    const { fetch, routes } = observed();
    const error = await caught(client({ fetch, waitSeconds: 0 })(heldTarget(), { method: 'POST', body: '{}' }));
    expect(error).toBeInstanceOf(ApprovalPending);
    expect(await storedAction(error.actionId)).toMatchObject({ status: 'PENDING' });
    expect(routes).toEqual(['POST /proxy', 'GET /status/:id']);
    const later = await caught(client({ waitSeconds: 1 })(heldTarget(), { method: 'DELETE' }));
    expect(later).toMatchObject({ code: 'action_pending' });
  });

  it('is executed once when the answer of the execution is lost, and returns the stored answer', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0x80]);
    gateway.upstream.answer((_call, response) => {
      response.writeHead(201, { 'Content-Type': 'image/png', Link: ['<a>', '<b>'] }).end(bytes);
    });
    const { fetch, routes } = losing('POST /proxy/execute/:id');
    const onHeld = ({ actionId }: HeldAction) => void gateway.approve(actionId);
    const answer = await client({ fetch, onHeld })(heldTarget(), { method: 'POST', body: '{}' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('link')).toBe('<a>, <b>');
    expect(answer.headers.get('x-proxy-status')).toBe('executed-approved');
    expect(bytes.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    expect(gateway.upstream.calls).toHaveLength(1);
    expect(routes.slice(-2)).toEqual(['POST /proxy/execute/:id', 'GET /status/:id']);
  });

  it('with an unknown outcome of its execution is an error, now and later', async () => {
    gateway.upstream.answer((_call, response) => response.destroy());
    let actionId = '';
    const onHeld = (held: HeldAction) => void gateway.approve((actionId = held.actionId));
    const post = { method: 'POST', body: '{}' };
    const error = await caught(client({ onHeld })(heldTarget(), post));
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ status: 502, message: expect.stringContaining('Failed to forward request') });
    expect(await caught(resumeAction(settings(), actionId))).toMatchObject({ status: 502, message: error.message });
    expect(gateway.upstream.calls).toHaveLength(1);
  });
});

describe('when connections break', () => {
  it('a POST is repeated with the same key, and reaches the upstream once', async () => {
    const { fetch, routes, keys } = losing('POST /proxy');
    const answer = await client({ fetch })(target('/orders'), { method: 'POST', body: '{"n":1}' });
    expect(await answer.json()).toMatchObject({ body: '{"n":1}' });
    expect(routes).toEqual(['POST /proxy', 'POST /proxy']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(gateway.upstream.calls).toHaveLength(1);
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
    expect((await client({ fetch })(target('/orders'))).status).toBe(200);
    expect(routes).toHaveLength(3);
  });

  it('a gateway that stays away is an error after the retries', async () => {
    const { fetch, routes } = observed();
    const error = await caught(client({ fetch, gatewayUrl: 'http://127.0.0.1:9', retries: 2 })(target('/x')));
    expect(error).toMatchObject({ code: 'gateway_unreachable', status: 0 });
    expect(routes).toHaveLength(3);
  });

  it('the wait continues when the gateway restarts, and the approval is executed once', async () => {
    const first = await gateway.secondInstance();
    const place = { host: '127.0.0.1', port: Number(new URL(first.url).port) };
    const link = await startTcpProxy(place);
    const url = heldTarget();
    const told: string[] = [];
    const onHeld = ({ actionId }: HeldAction) => void told.push(actionId);
    const held = client({ gatewayUrl: `http://127.0.0.1:${link.port}`, onHeld })(url, { method: 'POST', body: '{}' });
    const keyed = client({ gatewayUrl: `http://127.0.0.1:${link.port}` })(`${url}/2`, { method: 'POST', body: '{}' });
    const [{ action_id }, { action_id: other }] = [await actionOn(url), await actionOn(`${url}/2`)];
    await link.stop();
    await first.app.close();
    await gateway.approve(action_id);
    await gateway.approve(other);
    const second = await gateway.secondInstance();
    place.port = Number(new URL(second.url).port);
    await link.start();
    expect((await held).headers.get('x-proxy-status')).toBe('executed-approved');
    expect((await keyed).headers.get('x-proxy-status')).toBe('executed-approved');
    expect(told).toEqual([action_id]);
    expect(gateway.upstream.calls.map(({ path }) => path).sort()).toEqual(
      [url, `${url}/2`].map((each) => new URL(each).pathname).sort(),
    );
    await second.app.close();
    await link.stop();
  });
});

describe('parallel calls', () => {
  it('twenty calls, some held: each gets its own answer', async () => {
    const onHeld = ({ actionId }: HeldAction) => void gateway.approve(actionId);
    const fetch = client({ onHeld });
    const urls = Array.from({ length: 20 }, (_, index) => (index % 2 ? heldTarget() : target(`/free/${index}`)));
    const answers = await Promise.all(urls.map((url) => fetch(url, { method: 'POST', body: url })));
    expect(await Promise.all(answers.map(async (answer) => ((await answer.json()) as { body: string }).body))).toEqual(
      urls,
    );
    expect(gateway.upstream.calls).toHaveLength(20);
  });

  it('twenty identical DELETEs are one action, one execution, and twenty answers', async () => {
    const url = heldTarget();
    const fetch = client();
    const answers = Array.from({ length: 20 }, () => fetch(url, { method: 'DELETE' }));
    const { action_id } = await actionOn(url);
    await eventually(async () => (await storedAction(action_id)).times_asked === 20);
    await gateway.approve(action_id);
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('twenty calls with the caller’s own key are one request, held or not; a repeat is a replay', async () => {
    for (const url of [target('/orders'), heldTarget()]) {
      gateway.upstream.calls.length = 0;
      const init = { method: 'POST', body: '{}', headers: { 'Idempotency-Key': randomUUID() } };
      const fetch = client();
      const answers = Array.from({ length: 20 }, () => fetch(url, init));
      if (url.includes('/held/')) await gateway.approve((await actionOn(url)).action_id);
      expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
      expect((await fetch(url, init)).status).toBe(200);
      expect(gateway.upstream.calls).toHaveLength(1);
      const other = await caught(fetch(url, { ...init, body: '{"other":1}' }));
      expect(other).toMatchObject({ status: 422 });
    }
  });
});

// These run last because they move the clock past every deadline.
describe('a request after its deadline', () => {
  const later = async (hours: number) => {
    await gateway.app.advance({ hours });
    await gateway.logInAgain();
  };

  it('that was not decided: ApprovalExpired', async () => {
    const error = await caught(client({ onHeld: () => later(25) })(heldTarget(), { method: 'DELETE' }));
    expect(error).toBeInstanceOf(ApprovalExpired);
    expect(error).toMatchObject({ code: 'action_expired', name: 'ApprovalExpired' });
  });

  it('that was approved but not executed in time: ApprovalExpired, and nothing is sent', async () => {
    const onHeld = async ({ actionId }: HeldAction) => {
      await gateway.approve(actionId);
      await later(2);
    };
    const error = await caught(client({ onHeld })(heldTarget(), { method: 'POST', body: '{}' }));
    expect(error).toBeInstanceOf(ApprovalExpired);
    expect(gateway.upstream.calls).toHaveLength(0);
  });
});
