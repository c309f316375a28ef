import { GUARDS_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';
import { HTTP_METHODS } from '#contracts';
import { AgentKeyGuard } from '../src/agents/agent-key.guard.js';
import { JwtAuthGuard } from '../src/auth/jwt-auth.guard.js';
import { AdministratorGuard } from '../src/membership/administrator.guard.js';
import { MemberGuard } from '../src/membership/member.guard.js';
import { PersonGuard } from '../src/membership/person.guard.js';
import { SlackHookGuard } from '../src/slack/slack-hook.guard.js';
import { PUBLIC_ROUTE } from '../src/auth/public-route.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { readDocument, type ApiDocument } from './support/openapi-document.js';

let gateway: Gateway;
let document: ApiDocument;
beforeAll(async () => {
  gateway = await startGateway();
  document = await readDocument(gateway.url);
});
afterAll(() => gateway.close());

describe('/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document.json) as never);
    expect(errors).toBeUndefined();
    expect([valid, validator.version, document.json.openapi]).toEqual([true, '3.1', '3.1.0']);
  });

  it('names every operation once, and describes its purpose', () => {
    const ids = document.operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [route, { summary }] of document.operations)
      expect([route, summary]).toEqual([route, expect.any(String)]);
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
            // A route for all methods also accepts methods that only Express defines.
            .filter((method) => (HTTP_METHODS as readonly string[]).includes(method))
            .map((method) => `${method} ${route.path.replace('{/*path}', '/:path').replace(/:(\w+)/g, '{$1}')}`),
    );
    expect(routes.length).toBeGreaterThan(50);
    expect(routes.sort()).toEqual(document.operations.map(([route]) => route).sort());
  });

  it('documents the responses that any endpoint may return', () => {
    for (const [route, { responses, requestBody, security }] of document.operations) {
      const expected = [
        ...(route === 'GET /health' ? [] : ['400', '500', '503']),
        ...(security ? ['401'] : []),
        ...(requestBody ? ['413', '415'] : []),
      ];
      expect([route, Object.keys(responses)]).toEqual([route, expect.arrayContaining(expected)]);
      for (const { headers } of Object.values(responses)) expect(headers).toHaveProperty('X-Request-Id');
    }
  });

  it('lists for each endpoint the statuses that it can answer with', () => {
    const documented = (route: string): string[] => Object.keys(document.operation(route).responses);
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
      'PATCH /approvals/{actionId}/withdraw': [200, 401, 404, 409],
      'PATCH /approvals/{actionId}/undo': [200, 401, 404, 409],
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

  /** Each content comes with its place in the document. */
  function listContents(route: string): [string, string[], Content][] {
    const [method, path] = route.split(' ');
    const { requestBody, responses } = document.operation(route);
    const bodies = [['requestBody', requestBody], ...Object.entries(responses)] as [string, { content?: object }?][];
    return bodies.flatMap(([where, body]) =>
      Object.entries(body?.content ?? {}).map(([type, content]): [string, string[], Content] => {
        const parts = where === 'requestBody' ? [where] : ['responses', where];
        const schema = ['paths', path, method.toLowerCase(), ...parts, 'content', type, 'schema'];
        return [where, schema, content as Content];
      }),
    );
  }

  it.each(agentRoutes)('of %s exist, and match its schemas', (route) => {
    const given = listContents(route).flatMap(([where, schema, { example, examples }]) =>
      [...(example === undefined ? [] : [example]), ...Object.values(examples ?? {}).map(({ value }) => value)].map(
        (value) => ({ where, schema, value }),
      ),
    );
    const wanted = route === 'POST /proxy' ? ['requestBody', '200', '428'] : ['200'];
    expect(given.map(({ where }) => where)).toEqual(expect.arrayContaining(wanted));
    for (const { where, schema, value } of given) {
      expect([route, where, document.violations(schema, value)]).toEqual([route, where, null]);
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

  it('has a guard that authenticates its caller, or is marked as public', () => {
    const known = (guard: new () => object): boolean =>
      guard === JwtAuthGuard ||
      guard === MemberGuard ||
      guard === PersonGuard ||
      guard === AdministratorGuard ||
      guard === AgentKeyGuard ||
      guard === SlackHookGuard ||
      guard.prototype instanceof AgentKeyGuard;
    // One entry stands for all methods.
    expect(routes().length).toBe(document.operations.length - (HTTP_METHODS.length - 1));
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
      'AuthController.setup',
      'ConnectController.callback',
      'DiscoveryController.llms',
      'DiscoveryController.skill',
      'HealthController.health',
      'HealthController.ready',
      'InvitationsController.open',
      'InvitationsController.register',
      'MetricsController.metrics',
      'OidcController.callback',
      'OidcController.methods',
      'OidcController.start',
      'PasskeyLoginController.logIn',
      'PasskeyLoginController.options',
    ]);
  });

  it('returns 401 without credentials exactly where the document requires them', async () => {
    for (const [route, { security }] of document.operations) {
      const [method, path] = route.split(' ');
      const response = await fetch(gateway.url + path.replace(/\{\w+\}/g, '1'), { method });
      expect([route, response.status === 401 && !/refresh|logout|hooks/.test(path)]).toEqual([
        route,
        security !== undefined,
      ]);
      await response.body?.cancel();
    }
  });
});

describe('documented headers', () => {
  it('are in the responses', async () => {
    gateway.model.answer({ score: 0 });
    const keyed = await gateway.proxy({ idempotencyKey: 'headers' });
    expect(keyed.headers.get('x-proxy-status')).toBe('forwarded');
    expect(keyed.headers.get('x-idempotency-status')).toBe('processed');
    const held = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/headers` });
    const pending = await gateway.status(held.action_id, { Prefer: 'wait=1' });
    expect(pending.headers.get('retry-after')).toBe('8');
    expect(pending.headers.get('preference-applied')).toBe('wait=1');
    const { responses } = document.operation('POST /proxy');
    expect(Object.keys(responses['200'].headers!)).toEqual(
      expect.arrayContaining(['X-Proxy-Status', 'X-Idempotency-Status', 'X-Request-Id']),
    );
    expect(Object.keys(responses['428'].headers!)).toContain('Retry-After');
    expect(Object.keys(responses['503'].headers!)).toContain('Retry-After');
  });
});

it('/openapi.yaml is the same document, and is not sent again to a client that has it', async () => {
  const url = `${gateway.url}/openapi.yaml`;
  const whole = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } });
  expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'text/yaml; charset=utf-8']);
  expect(whole.headers.has('content-encoding')).toBe(false);
  const text = await whole.text();
  expect(parse(text)).toEqual(document.json);
  const zipped = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } });
  expect([zipped.headers.get('content-encoding'), await zipped.text()]).toEqual(['gzip', text]);
  const again = await fetch(url, { headers: { 'If-None-Match': whole.headers.get('etag')! } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

it('/docs serves a page with everything that it needs', async () => {
  const page = await fetch(`${gateway.url}/docs`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const html = await page.text();
  expect(html).toContain('Agent Gateway API');
  const sources = [...html.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)].map(([, source]) => source);
  expect(sources.length).toBeGreaterThan(2);
  for (const source of sources) {
    expect([source, await readStatus(new URL(source, `${gateway.url}/docs`))]).toEqual([source, 200]);
  }

  async function readStatus(url: URL): Promise<number> {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status;
  }
});
