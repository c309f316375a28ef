import { GUARDS_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { HTTP_METHODS } from '#contracts';
import { AgentKeyGuard } from '../src/agents/agent-key.guard.js';
import { JwtAuthGuard } from '../src/auth/jwt-auth.guard.js';
import { PUBLIC_ROUTE } from '../src/auth/public-route.js';
import { login, PASSWORD } from './support/accounts.js';
import { startGateway, type Gateway } from './support/gateway.js';

interface Operation {
  operationId: string;
  summary?: string;
  security?: Record<string, string[]>[];
  requestBody?: object;
  responses: Record<string, { content?: Record<string, object>; headers?: Record<string, object> }>;
}
interface Schema {
  type?: string;
  properties?: object;
  additionalProperties?: unknown;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> };
}

let gateway: Gateway;
let document: Document;
let validators: Ajv2020.default;
beforeAll(async () => {
  gateway = await startGateway();
  document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as Document;
  validators = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(validators);
  validators.addSchema({ $id: 'document', ...closed(document) });
});
afterAll(() => gateway.close());

/** Fields that are not documented are a fault here, though not to our callers. */
function closed(original: Document): Document {
  const copy = structuredClone(original);
  for (const schema of Object.values(copy.components.schemas)) {
    if (schema.properties && schema.additionalProperties === undefined) schema.additionalProperties = false;
  }
  return copy;
}

const operations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

describe('/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document) as never);
    expect(errors).toBeUndefined();
    expect([valid, validator.version, document.openapi]).toEqual([true, '3.1', '3.1.0']);
  });

  it('names every operation once, and says what it is for', () => {
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [route, { summary }] of operations()) expect([route, summary]).toEqual([route, expect.any(String)]);
  });

  it('has every route of the application, and no other', () => {
    interface Layer {
      route?: { path: string; methods: Record<string, boolean> };
    }
    const { router } = gateway.app.app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } };
    const routes = router.stack.flatMap(({ route }) =>
      route === undefined || /^\/(docs|openapi\.)/.test(route.path)
        ? []
        : Object.keys(route.methods)
            .map((method) => method.toUpperCase())
            // A route that takes all methods takes those too that Express alone knows.
            .filter((method) => (HTTP_METHODS as readonly string[]).includes(method))
            .map((method) => `${method} ${route.path.replace('{/*path}', '/:path').replace(/:(\w+)/g, '{$1}')}`),
    );
    expect(routes.length).toBeGreaterThan(50);
    expect(routes.sort()).toEqual(
      operations()
        .map(([route]) => route)
        .sort(),
    );
  });

  it('documents what any endpoint may answer', () => {
    for (const [route, { responses, requestBody, security }] of operations()) {
      const expected = [
        ...(route === 'GET /health' ? [] : ['400', '500', '503']),
        ...(security ? ['401'] : []),
        ...(requestBody ? ['413', '415'] : []),
      ];
      expect([route, Object.keys(responses)]).toEqual([route, expect.arrayContaining(expected)]);
      for (const { headers } of Object.values(responses)) expect(headers).toHaveProperty('X-Request-Id');
    }
  });

  it('says of each endpoint of the specification the statuses that the specification gives it', () => {
    const documented = (route: string): string[] => {
      const [method, path] = route.split(' ');
      return Object.keys(document.paths[path][method.toLowerCase()].responses);
    };
    const table: Record<string, number[]> = {
      'GET /services': [200, 401, 500],
      'POST /services': [201, 400, 401, 500],
      'GET /services/{id}': [200, 400, 401, 404, 500],
      'PUT /services/{id}': [200, 400, 401, 404, 500],
      'DELETE /services/{id}': [200, 400, 401, 404, 500],
      'POST /services/{id}/credentials': [200, 400, 401, 404, 500],
      'GET /agents': [200, 401, 500],
      'POST /agents': [201, 400, 401, 404, 500],
      'GET /agents/{id}': [200, 400, 401, 404, 500],
      'PUT /agents/{id}': [200, 400, 401, 404, 500],
      'DELETE /agents/{id}': [200, 400, 401, 404, 500],
      'PUT /agents/{id}/services': [200, 400, 401, 404, 500],
      'PATCH /approvals/{actionId}/approve': [200, 401, 404, 409],
      'PATCH /approvals/{actionId}/deny': [200, 401, 404, 409],
      'POST /proxy': [200, 400, 401, 403, 404, 409, 413, 422, 428, 500, 502, 504],
      'GET /status/{actionId}': [200, 401, 404, 500],
      'POST /proxy/execute/{actionId}': [200, 401, 403, 404, 409, 410, 413, 500, 502, 504],
      'GET /health': [200],
      'GET /ready': [200, 503],
    };
    for (const [route, statuses] of Object.entries(table)) {
      expect([route, documented(route)]).toEqual([route, expect.arrayContaining(statuses.map(String))]);
    }
  });
});

describe('the examples', () => {
  interface Content {
    schema: object;
    example?: unknown;
    examples?: Record<string, { value: unknown }>;
  }
  const agentRoutes = ['POST /proxy', 'GET /status/{actionId}', 'POST /s/{service}/{path}', 'GET /agent'];

  /** With where each stands. */
  function contentsOf(route: string): [string, string, Content][] {
    const [method, path] = route.split(' ');
    const { requestBody, responses } = document.paths[path][method.toLowerCase()];
    const bodies = [['requestBody', requestBody], ...Object.entries(responses)] as [string, { content?: object }?][];
    return bodies.flatMap(([where, body]) =>
      Object.entries(body?.content ?? {}).map(([type, content]): [string, string, Content] => {
        const parts = where === 'requestBody' ? [where] : ['responses', where];
        return [
          where,
          ['paths', path, method.toLowerCase(), ...parts, 'content', type, 'schema'].map(pointed).join('/'),
          content as Content,
        ];
      }),
    );
  }
  const pointed = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

  it.each(agentRoutes)('of %s are there, and keep to its schemas', (route) => {
    const given = contentsOf(route).flatMap(([where, pointer, { example, examples }]) =>
      [...(example === undefined ? [] : [example]), ...Object.values(examples ?? {}).map(({ value }) => value)].map(
        (value) => ({ where, pointer, value }),
      ),
    );
    const wanted = route === 'POST /proxy' ? ['requestBody', '200', '428'] : ['200'];
    expect(given.map(({ where }) => where)).toEqual(expect.arrayContaining(wanted));
    for (const { where, pointer, value } of given) {
      const validate = validators.compile({ $ref: `document#/${pointer}` });
      validate(value);
      expect([route, where, validate.errors]).toEqual([route, where, null]);
    }
  });
});

describe('every route', () => {
  interface Route {
    name: string;
    guards: (new () => object)[];
    isPublic: boolean;
  }
  const routes = (): Route[] =>
    [...gateway.app.app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
      [...controllers.values()].flatMap(({ metatype }) => {
        const type = metatype as new () => object;
        const prototype = type.prototype as Record<string, () => void>;
        return Object.getOwnPropertyNames(prototype)
          .map((name) => ({ name, handler: prototype[name] }))
          .filter(({ handler }) => Reflect.hasMetadata(METHOD_METADATA, handler))
          .map(({ name, handler }) => ({
            name: `${type.name}.${name}`,
            guards: [type, handler].flatMap(
              (target) => (Reflect.getMetadata(GUARDS_METADATA, target) as Route['guards'] | undefined) ?? [],
            ),
            isPublic: [type, handler].some((target) => Reflect.getMetadata(PUBLIC_ROUTE, target) === true),
          }));
      }),
    );

  it('has a guard that knows its caller, or says that it is public on purpose', () => {
    const known = (guard: new () => object): boolean =>
      guard === JwtAuthGuard || guard === AgentKeyGuard || guard.prototype instanceof AgentKeyGuard;
    // One takes all methods.
    expect(routes().length).toBe(operations().length - (HTTP_METHODS.length - 1));
    for (const { name, guards, isPublic } of routes()) {
      expect([name, guards.some(known)]).toEqual([name, !isPublic]);
    }
    expect(
      routes()
        .filter(({ isPublic }) => isPublic)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      'AuthController.login',
      'AuthController.logout',
      'AuthController.refresh',
      'AuthController.register',
      'AuthController.setup',
      'DiscoveryController.llms',
      'DiscoveryController.skill',
      'HealthController.health',
      'HealthController.ready',
    ]);
  });

  it('answers 401 to a caller without credentials exactly where the document asks for some', async () => {
    for (const [route, { security }] of operations()) {
      const [method, path] = route.split(' ');
      const response = await fetch(gateway.url + path.replace(/\{\w+\}/g, '1'), { method });
      expect([route, response.status === 401 && !/refresh|logout/.test(path)]).toEqual([route, security !== undefined]);
      await response.body?.cancel();
    }
  });
});

describe('real responses', () => {
  const covered = new Map<string, Set<number>>();

  interface Call {
    body?: object | string;
    headers?: Record<string, string>;
    /** Values of the path's parameters, in their order, and a query. */
    path?: (string | number)[];
    query?: string;
  }

  /** Sends a request, and holds the answer against the document. */
  async function check<T = Record<string, unknown>>(route: string, status: number, call: Call = {}): Promise<T> {
    const [method, template] = route.split(' ');
    const values = [...(call.path ?? [])];
    const path = template.replace(/\{\w+\}/g, () => String(values.shift())) + (call.query ?? '');
    const agent = /^\/(proxy|status|mcp|s\/|agent(\/|$))/.test(path);
    const response = await fetch(gateway.url + path, {
      method,
      headers: {
        ...(agent ? { 'Agent-Key': gateway.agentKey } : { Authorization: `Bearer ${gateway.token}` }),
        ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...call.headers,
      },
      body: typeof call.body === 'object' ? JSON.stringify(call.body) : call.body,
      redirect: 'manual',
    });
    const stream = response.headers.get('content-type')?.startsWith('text/event-stream');
    const text = stream ? '' : await response.text();
    if (stream) await response.body?.cancel();
    expect([route, response.status, text]).toEqual([route, status, expect.any(String)]);

    const documented = document.paths[template][method.toLowerCase()].responses[String(status)];
    expect([route, status, documented]).toEqual([route, status, expect.any(Object)]);
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const types = Object.keys(documented.content ?? {});
    const expected = types.includes('*/*') ? '*/*' : type;
    expect([route, status, types]).toEqual([route, status, expected === '' ? [] : expect.arrayContaining([expected])]);
    if (type === 'application/json' && types.includes(type) && method !== 'HEAD') {
      const pointer = ['paths', template, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
        .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
        .map(encodeURIComponent)
        .join('/');
      const validate = validators.compile({ $ref: `document#/${pointer}` });
      validate(JSON.parse(text));
      expect([route, status, validate.errors]).toEqual([route, status, null]);
    }
    expect(response.headers.get('x-request-id')).toBeTruthy();
    if (status >= 400) {
      const { schema } = documented.headers!['X-Error-Code'] as { schema: { enum: string[] } };
      expect([route, status, schema.enum]).toEqual([
        route,
        status,
        expect.arrayContaining([response.headers.get('x-error-code')]),
      ]);
    }
    covered.set(route, (covered.get(route) ?? new Set()).add(status));
    return (type === 'application/json' && text ? JSON.parse(text) : {}) as T;
  }

  const BAD_ID = { path: ['x', 'x'] };
  const NO_ID = { path: [2_000_000_000, 2_000_000_000] };
  const DOCUMENT = { type: 'text', title: 'Notes', content: 'Careful.' };

  it('of health and accounts', async () => {
    await check('GET /health', 200);
    await check('GET /ready', 200);
    await check('GET /admin/status', 200);
    await check('GET /auth/setup', 200);
    await check('POST /auth/register', 403, { body: { email: 'b@example.com', password: PASSWORD } });
    await check('POST /auth/register', 400, { body: {} });
    await check('POST /auth/login', 401, { body: { email: 'b@example.com', password: PASSWORD } });
    const body = { email: 'ada@example.com', password: PASSWORD };
    const { refreshToken } = await check<{ refreshToken: string }>('POST /auth/login', 200, { body });
    const spent = await check<{ refreshToken: string }>('POST /auth/refresh', 200, { body: { refreshToken } });
    await check('POST /auth/logout', 200, { body: { refreshToken: spent.refreshToken } });
    await check('POST /auth/refresh', 401, { body: { refreshToken } });
    await check('GET /auth/me', 200);
    await check('PATCH /auth/me', 200, { body: { name: 'Ada' } });
    await check('PATCH /auth/me', 400, { body: { name: 1 } });
    await login(gateway.app, 'ada@example.com');
    const sessions = await check<{ id: string; current: boolean }[]>('GET /auth/sessions', 200);
    const other = sessions.find(({ current }) => !current);
    await check('DELETE /auth/sessions/{id}', 200, { path: [other!.id] });
    await check('DELETE /auth/sessions/{id}', 404, { path: ['00000000-0000-4000-8000-000000000000'] });
    await check('DELETE /auth/sessions', 200);
    const change = { currentPassword: PASSWORD, newPassword: 'another long password' };
    await check('POST /auth/password', 200, { body: change });
    await check('POST /auth/password', 403, { body: change });
    await check('POST /auth/password', 200, {
      body: { currentPassword: change.newPassword, newPassword: PASSWORD },
    });
  });

  it('of services, documentation and rules', async () => {
    const body = { name: 'S', baseUrl: `${gateway.upstream.url}/s`, authType: 'bearer', credentials: { token: 't' } };
    const { id } = await check<{ id: number }>('POST /services', 201, { body });
    const path = [id];
    await check('POST /services', 400, { body: {} });
    await check('POST /services', 415, { body: 'x', headers: { 'Content-Type': 'text/plain' } });
    await check('POST /services', 413, { body: ' '.repeat(1024 * 1024 + 1) });
    await check('GET /services', 200);
    await check('GET /services/{id}', 200, { path });
    await check('GET /services/{id}', 400, BAD_ID);
    await check('GET /services/{id}', 404, NO_ID);
    await check('PUT /services/{id}', 200, { path, body: { name: 'T' } });
    await check('PUT /services/{id}', 400, { path, body: {} });
    await check('POST /services/{id}/credentials', 200, { path, body: { credentials: { token: 'u' } } });
    await check('POST /services/{id}/credentials', 404, { ...NO_ID, body: { credentials: { token: 'u' } } });
    await check('POST /services/{id}/test', 200, { path, body: {} });

    const doc = await check<{ id: number }>('POST /services/{id}/documentation', 201, { path, body: DOCUMENT });
    await check('POST /services/{id}/documentation', 400, { path, body: { ...DOCUMENT, type: 'openapi' } });
    await check('GET /services/{id}/documentation', 200, { path });
    await check('GET /services/{id}/documentation/{docId}', 200, { path: [id, doc.id] });
    await check('GET /services/{id}/documentation/{docId}', 404, { path: [id, 999] });
    await check('PUT /services/{id}/documentation/{docId}', 200, { path: [id, doc.id], body: { title: 'N' } });
    await check('DELETE /services/{id}/documentation/{docId}', 200, { path: [id, doc.id] });
    const openapi = {
      openapi: '3.0.0',
      info: { title: 'S', version: '1' },
      paths: { '/things/{id}': { delete: { operationId: 'd', summary: 'Delete' }, get: {} } },
    };
    await check('POST /services/{id}/documentation', 201, {
      path,
      body: { type: 'openapi', title: 'API', content: JSON.stringify(openapi) },
    });
    await check('GET /services/{id}/operations', 200, { path });

    const rule = { name: 'r', effect: 'require_approval', expiresAt: '2099-01-01T00:00:00Z', maxUses: 3 };
    const { id: ruleId } = await check<{ id: number }>('POST /services/{id}/risk-rules', 201, { path, body: rule });
    await check('POST /services/{id}/risk-rules', 400, { path, body: {} });
    await check('POST /services/{id}/risk-rules/preview', 200, { path, body: rule });
    await check('GET /services/{id}/risk-rules', 200, { path });
    await check('PUT /services/{id}/risk-rules/{ruleId}', 200, { path: [id, ruleId], body: { isActive: false } });
    await check('PUT /services/{id}/risk-rules/{ruleId}', 404, { path: [id, 999], body: { isActive: false } });
    const assess = {
      serviceId: id,
      method: 'DELETE',
      targetUrl: `${gateway.upstream.url}/s/things/1`,
      intent: 'try',
    };
    await check('POST /risk/assess', 200, { body: assess });
    await check('POST /risk/assess', 400, { body: {} });
    await check('POST /risk/assess', 403, { body: { ...assess, targetUrl: `${gateway.upstream.url}/elsewhere` } });
    await check('DELETE /services/{id}/risk-rules/{ruleId}', 200, { path: [id, ruleId] });
    await check('DELETE /services/{id}', 200, { path });
  });

  it('of agents', async () => {
    const body = { name: 'bot', serviceIds: [gateway.service.id] };
    const { agent } = await check<{ agent: { id: number } }>('POST /agents', 201, { body });
    const path = [agent.id];
    await check('POST /agents', 400, { body: {} });
    await check('POST /agents', 404, { body: { ...body, serviceIds: [999] } });
    await check('GET /agents', 200);
    await check('GET /agents/{id}', 200, { path });
    await check('GET /agents/{id}', 404, NO_ID);
    await check('PUT /agents/{id}', 200, { path, body: { isActive: false } });
    await check('PUT /agents/{id}', 400, { ...BAD_ID, body: { isActive: false } });
    await check('PUT /agents/{id}/services', 200, { path, body: { serviceIds: [gateway.service.id] } });
    await check('PUT /agents/{id}/services', 400, { path, body: { serviceIds: [] } });
    await check('POST /agents/{id}/rotate-key', 200, { path });
    const callback = { url: `${gateway.upstream.url}/callback` };
    await check('GET /agents/{id}/callback', 200, { path });
    await check('POST /agents/{id}/callback/test', 404, { path });
    await check('PUT /agents/{id}/callback', 200, { path, body: callback });
    await check('PUT /agents/{id}/callback', 400, { path, body: { url: 'nowhere' } });
    await check('PUT /agents/{id}/callback', 403, { path, body: { url: 'https://127.0.0.1/' } });
    await check('GET /agents/{id}/callback', 200, { path });
    await check('GET /agents/{id}/callback', 404, NO_ID);
    await check('POST /agents/{id}/callback/rotate-secret', 200, { path });
    await check('POST /agents/{id}/callback/test', 409, { path });
    await check('PUT /agents/{id}', 200, { path, body: { isActive: true } });
    const delivery = await check<{ id: string }>('POST /agents/{id}/callback/test', 200, { path });
    await check('GET /agents/{id}/callback/deliveries', 200, { path });
    await check('GET /agents/{id}/callback/deliveries', 400, { path, query: '?limit=0' });
    const redeliver = 'POST /agents/{id}/callback/deliveries/{deliveryId}/redeliver';
    await check(redeliver, 200, { path: [agent.id, delivery.id] });
    await check(redeliver, 404, { path: [agent.id, 'x'] });
    await check('DELETE /agents/{id}/callback', 200, { path });
    await check('DELETE /agents/{id}/callback', 404, { path });
    await check('GET /agent/callback', 200);
    await check('PUT /agent/callback', 200, { body: callback });
    await check('POST /agent/callback/rotate-secret', 200);
    await check('POST /agent/callback/test', 200);
    await check('DELETE /agent/callback', 200);
    await check('POST /agent/callback/test', 404);
    await check('DELETE /agents/{id}', 200, { path });
  });

  it('of requests, actions and the record', async () => {
    const { url } = gateway.upstream;
    const request = (method: string, path: string, extra = {}) => ({
      body: { targetUrl: url + path, method, intent: 'try', ...extra },
    });
    gateway.model.answer({ score: 0 });
    await check('POST /proxy', 200, request('GET', '/v1/a'));
    await check('POST /proxy', 200, request('POST', '/v1/a', { idempotencyKey: 'k', body: '1' }));
    await check('POST /proxy', 422, request('POST', '/v1/a', { idempotencyKey: 'k', body: '2' }));
    await check('POST /proxy', 400, request('POST', '/v1/a'));
    await check('POST /proxy', 403, request('GET', '/v1/../a'));
    await check('POST /proxy', 404, request('GET', '/nowhere'));
    gateway.upstream.answer((_call, response) => void response.socket?.destroy());
    await check('POST /proxy', 502, request('GET', '/v1/a'));
    gateway.upstream.answer((_call, response) => response.end('{}'));

    gateway.model.answer({ score: 1 });
    const hold = async (n: number): Promise<string[]> => [
      (await check<{ action_id: string }>('POST /proxy', 428, request('DELETE', `/v1/things/${n}`))).action_id,
    ];
    const [approved, denied] = [await hold(1), await hold(2)];
    await check('GET /status/{actionId}', 200, { path: approved });
    await check('POST /proxy/execute/{actionId}', 409, { path: approved });
    await check('PATCH /approvals/{actionId}/approve', 200, { path: approved, body: {} });
    await check('PATCH /approvals/{actionId}/approve', 409, { path: approved, body: { note: 'again' } });
    await check('PATCH /approvals/{actionId}/deny', 200, { path: denied, body: { note: 'no' } });
    await check('PATCH /approvals/{actionId}/deny', 404, { path: ['x'], body: {} });
    await check('GET /status/{actionId}', 200, { path: approved });
    await check('GET /status/{actionId}', 200, { path: denied });
    await check('GET /status/{actionId}', 404, { path: ['x'] });
    await check('POST /proxy/execute/{actionId}', 200, { path: approved });
    await check('POST /proxy/execute/{actionId}', 404, { path: ['x'] });
    await check('GET /status/{actionId}', 200, { path: approved });
    await check('GET /approvals', 200, { query: '?status=ALL' });
    await check('GET /approvals', 400, { query: '?limit=0' });
    await check('GET /approvals/counts', 200);
    await check('GET /approvals/{actionId}', 200, { path: approved });
    await check('GET /approvals/{actionId}', 404, { path: ['x'] });
    await check('GET /approvals/{actionId}/context', 200, { path: denied });

    await gateway.app.settled();
    await check('GET /audit', 200, { query: '?limit=200' });
    await check('GET /audit', 400, { query: '?kind=x' });
    // Whose agent and service are gone.
    const service = await gateway.createService({ name: 'Gone', baseUrl: `${url}/gone` });
    const { agent, apiKey } = await gateway.createAgent('gone-bot', [service.id]);
    const gone = await gateway.hold({ targetUrl: `${url}/gone/1` }, { 'Agent-Key': apiKey });
    await gateway.admin(`DELETE /agents/${agent.id}`);
    await gateway.admin(`DELETE /services/${service.id}`);
    await check('GET /approvals/{actionId}', 200, { path: [gone.action_id] });
    await check('GET /approvals/{actionId}/context', 200, { path: [gone.action_id] });
    await check('GET /audit/export', 200, { query: '?format=csv' });
    await check('GET /audit/export', 200, { query: '?format=ndjson' });
    await check('GET /audit/export', 400);
    const [record] = await gateway.audit();
    await check('GET /audit/{recordId}', 200, { path: [record.id] });
    await check('GET /audit/{recordId}', 404, { path: ['x'] });
    await check('GET /audit/stats', 200);
    await check('GET /audit/usage/services', 200);
    await check('GET /audit/usage/agents', 200, { query: `?agentIds=${gateway.agent.id}` });
    await check('GET /audit/usage/agents', 400);
    await check('GET /events', 200);
  });

  it('of the base URLs of services', async () => {
    gateway.model.answer({ score: 0 });
    for (const method of HTTP_METHODS) {
      const route = `${method} /s/{service}/{path}`;
      const headers = { 'X-Intent': 'try', 'Idempotency-Key': `base-url-${method}` };
      await check(route, 200, { path: ['Shop', 'things'], headers });
      await check(route, 404, { path: ['Nowhere', 'things'], headers: { 'Idempotency-Key': `nowhere-${method}` } });
    }
    await check('POST /s/{service}/{path}', 400, { path: ['Shop', 'things'] });
    gateway.model.answer({ score: 1 });
    await check('DELETE /s/{service}/{path}', 428, { path: ['Shop', 'things'] });
  });

  it('of discovery', async () => {
    await check('GET /agent', 200);
    await check('GET /agent', 401, { headers: { 'Agent-Key': 'x' } });
    for (const route of ['GET /SKILL.md', 'GET /llms.txt']) {
      await check(route, 200);
      await check(route, 401, { headers: { 'Agent-Key': 'x' } });
    }
  });

  it('of the MCP server', async () => {
    const message = (method: string, params?: object) => ({ body: { jsonrpc: '2.0', id: 1, method, params } });
    await check('POST /mcp', 200, message('tools/list'));
    await check('POST /mcp', 200, message('no/such/method'));
    await check('POST /mcp', 202, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    await check('POST /mcp', 400, { body: {} });
    await check('POST /mcp', 403, { ...message('ping'), headers: { Origin: 'https://evil.example' } });
    await check('POST /mcp', 406, { ...message('ping'), headers: { Accept: 'image/png' } });
    await check('GET /mcp', 405);
    await check('DELETE /mcp', 405);
  });

  it('were of every endpoint, good ones and errors', () => {
    for (const [route, { responses }] of operations()) {
      const seen = [...(covered.get(route) ?? [])];
      const succeeds = route !== 'POST /auth/register' && Object.keys(responses).some((status) => status < '300');
      if (succeeds) expect([route, seen.some((status) => status < 300)]).toEqual([route, true]);
      expect([route, seen.length]).not.toEqual([route, 0]);
      expect([route, Object.keys(responses)]).toEqual([route, expect.arrayContaining(seen.map(String))]);
    }
  });
});

describe('headers that are documented', () => {
  it('are there', async () => {
    gateway.model.answer({ score: 0 });
    const keyed = await gateway.proxy({ idempotencyKey: 'headers' });
    expect(keyed.headers.get('x-proxy-status')).toBe('forwarded');
    expect(keyed.headers.get('x-idempotency-status')).toBe('processed');
    const held = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/headers` });
    const pending = await gateway.status(held.action_id, { Prefer: 'wait=1' });
    expect(pending.headers.get('retry-after')).toBe('8');
    expect(pending.headers.get('preference-applied')).toBe('wait=1');
    const { responses } = document.paths['/proxy'].post;
    expect(Object.keys(responses['200'].headers!)).toEqual(
      expect.arrayContaining(['X-Proxy-Status', 'X-Idempotency-Status', 'X-Request-Id']),
    );
    expect(Object.keys(responses['428'].headers!)).toContain('Retry-After');
    expect(Object.keys(responses['503'].headers!)).toContain('Retry-After');
  });
});

it('/docs serves a page to read it, with everything that the page needs', async () => {
  const page = await fetch(`${gateway.url}/docs`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const html = await page.text();
  expect(html).toContain('Agent Gateway API');
  const sources = [...html.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)].map(([, source]) => source);
  expect(sources.length).toBeGreaterThan(2);
  for (const source of sources) {
    expect([source, await statusOf(new URL(source, `${gateway.url}/docs`))]).toEqual([source, 200]);
  }
  expect(await statusOf(new URL(`${gateway.url}/openapi.yaml`))).toBe(200);

  async function statusOf(url: URL): Promise<number> {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status;
  }
});
