/** Rules, the model and people judge what the API gets, however a request is written. */
import type { RiskRule } from '#contracts';
import { startGateway, type Gateway, type ProxyBody } from '../support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ RISK_CACHE_SECONDS: '60' });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.model.calls.length = 0;
  gateway.model.answer({ score: 0 });
});

const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;
let keys = 0;
const send = (fields: Partial<ProxyBody>) => gateway.proxy({ idempotencyKey: `judged-${keys++}`, ...fields });

async function withDenial(fields: object, work: () => Promise<void>): Promise<void> {
  const path = `/services/${gateway.service.id}/risk-rules`;
  const rule = await gateway.admin<RiskRule>(`POST ${path}`, { name: 'never', effect: 'deny', ...fields });
  await work().finally(() => gateway.admin(`DELETE ${path}/${rule.id}`));
}

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=X';
const part = (name: string): string =>
  `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nDELETE\r\n--X--\r\n`;

it.each([
  ['Rack and qs', FORM, '[_method]=DELETE'],
  ['Rack and qs, encoded', FORM, '%5B_method%5D=DELETE'],
  ['Rack', FORM, '_method]=DELETE'],
  ['Rack, in a part', MULTIPART, part('[_method]')],
  ['ASP.NET, in a part', MULTIPART, part('X-HTTP-Method-Override')],
])('a deny rule for DELETE holds for the method that a body states for %s', async (_server, type, body) => {
  await withDenial({ methods: ['DELETE'] }, async () => {
    const headers = { 'Content-Type': type };
    const answer = await send({ method: 'POST', targetUrl: target('/users/5'), headers, body });
    expect([answer.status, gateway.upstream.calls.length]).toEqual([403, 0]);
  });
});

it.each(['?$httpMethod=DELETE', '?[_method]=DELETE', '?%24httpMethod=DELETE'])(
  'a deny rule for DELETE holds for the method that a query states: %s',
  async (query) => {
    await withDenial({ methods: ['DELETE'] }, async () => {
      const answer = await send({ method: 'POST', targetUrl: target(`/users/5${query}`), body: '' });
      expect([answer.status, gateway.upstream.calls.length]).toEqual([403, 0]);
    });
  },
);

it.each(['/index.php/admin/users', '/Index.PHP/admin/users', '/(S(x))/admin/users', '/a.php/index.php/admin/users'])(
  'a deny rule for a path applies when a server ignores a part of the path, like a script name: %s',
  async (path) => {
    await withDenial({ pathPattern: '/admin/users' }, async () => {
      expect((await send({ targetUrl: target(path) })).status).toBe(403);
      expect((await send({ targetUrl: target('/admin/users.php') })).status).toBe(200);
    });
  },
);

it('a header that makes gunicorn route another path does not reach the API', async () => {
  const headers = { SCRIPT_NAME: '/v1/public', 'Path-Info': '/admin' };
  expect((await send({ targetUrl: target('/public/users'), headers })).status).toBe(200);
  const [call] = gateway.upstream.calls;
  expect(Object.keys(call.headers).filter((name) => /script|path/.test(name))).toEqual([]);
});

it.each([
  ['/users#/42?only_this=1', '/v1/users'],
  ['/users/42/%2e%2e', '/v1/users/'],
  ['/users/43/.', '/v1/users/43/'],
  ['/users/42\\orders\\..', '/v1/users/42/'],
])('the model, the audit record and the API see the same path for %j', async (written, sent) => {
  expect((await send({ method: 'DELETE', targetUrl: target(written) })).status).toBe(200);
  expect(gateway.upstream.calls[0].path).toBe(sent);
  expect(gateway.model.calls[0].body.messages.at(-1)!.content).toContain(`${sent}"`);
  expect((await gateway.audit())[0].url).toBe(gateway.upstream.url + sent);
});

/** Two brotli streams: the content and the bytes of both, joined by a line feed, are the same text. */
function twins(): { harmless: Buffer; harmful: Buffer } {
  const head = (length: number): Buffer =>
    Buffer.from([((length - 1) & 15) << 4, ((length - 1) >> 4) & 255, (((length - 1) >> 12) & 15) | 16]);
  const meta = (length: number): Buffer => {
    const bits = 6 | (2 << 4) | ((length - 1) << 6);
    return Buffer.from([bits & 255, (bits >> 8) & 255, (bits >> 16) & 255]);
  };
  for (let short = 0; short < 80; short++) {
    for (let long = 1000; long < 4000; long++) {
      const body = Buffer.from(`action=view&note=hi${'i'.repeat(short)}`);
      const skipped = Buffer.from(`&action=delete_all&x=${'y'.repeat(long)}`);
      const before = Buffer.concat([head(body.length), body, meta(skipped.length), skipped]);
      const begin = Buffer.concat([before, meta(body.length + before.length + 3 + 1 + 4)]);
      const content = Buffer.concat([body, Buffer.from('\n'), begin]);
      if (!content.every((byte) => byte > 0 && byte < 128)) continue;
      const harmful = Buffer.concat([head(content.length), content, Buffer.from([3])]);
      return { harmless: Buffer.concat([begin, Buffer.from('\n'), harmful]), harmful };
    }
  }
  throw new Error('There are no such streams');
}

it('a cached verdict about one coded body is not used for another one', async () => {
  const { harmless, harmful } = twins();
  await gateway.admin(`PUT /services/${gateway.service.id}`, { requestCodings: 'keep' });
  gateway.model.answer((call) => ({ score: call.body.messages.at(-1)!.content.includes('delete_all') ? 1 : 0 }));
  const post = (body: Buffer) =>
    send({
      method: 'POST',
      targetUrl: target('/things'),
      headers: { 'Content-Type': FORM, 'Content-Encoding': 'br' },
      intent: 'look at things',
      bodyBase64: body.toString('base64'),
    });
  try {
    expect([(await post(harmless)).status, (await post(harmful)).status]).toEqual([200, 428]);
  } finally {
    await gateway.admin(`PUT /services/${gateway.service.id}`, { requestCodings: null });
  }
});

describe('a documented refund is asked about', () => {
  const call = JSON.stringify({ method: 'tools/call', params: { name: 'get_order' } });
  beforeAll(async () => {
    await gateway.admin(`PUT /services/${gateway.service.id}`, { askFor: ['money'] });
    const paths = { '/orders/{id}/reversal': { post: { summary: 'Refund an order', responses: {} } } };
    const documents = [
      ['openapi', { openapi: '3.0.3', info: { title: 'Shop', version: '1' }, paths }],
      ['mcp', { tools: [{ name: 'get_order' }] }],
    ] as const;
    for (const [type, content] of documents) {
      const document = { type, title: type, content: JSON.stringify(content) };
      await gateway.admin(`POST /services/${gateway.service.id}/documentation`, document);
    }
  });
  afterAll(() => gateway.admin(`PUT /services/${gateway.service.id}`, { askFor: [] }));

  it.each([
    ['/orders/5/reversal', '{}'],
    ['/orders/5/reversal', call],
    ['/Orders/5/REVERSAL', '{}'],
    ['/orders/5/reversal;x', call],
    ['/orders/5/x/%2e%2e/reversal', '{}'],
    ['/orders//5/./reversal/', '{}'],
    ['/orders/5/revers%61l', call],
  ])('at %s with %s', async (path, body) => {
    const headers = { 'Content-Type': 'application/json' };
    expect((await send({ method: 'POST', targetUrl: target(path), headers, body })).status).toBe(428);
    expect(gateway.upstream.calls).toEqual([]);
  });

  it('and the call of a tool that reads is not', async () => {
    const headers = { 'Content-Type': 'application/json' };
    expect((await send({ method: 'POST', targetUrl: target('/mcp'), headers, body: call })).status).toBe(200);
  });
});
