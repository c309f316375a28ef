import type { DocumentedOperation, DocumentSummary, MessageResponse, ServiceDocument } from '#contracts';
import { DocumentationReader } from '../src/documentation/documentation-reader.js';
import { OperationIndex } from '../src/documentation/operation-index.js';
import { ServiceRegistry } from '../src/services/service-registry.js';
import type { ServiceView } from '../src/service-view/service-view.js';
import { call } from './support/accounts.js';
import { lowest } from './support/lowest.js';
import { createDocument, createService, signUp } from './support/resources.js';
import { startApp, type TestApp } from './support/start-app.js';

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startApp();
  token = await signUp(app, 'ada@example.com');
});
afterAll(() => app.close());

const openapi = (paths: object, fields: object = {}) => JSON.stringify({ openapi: '3.1.0', ...fields, paths });
const addOpenApi = (serviceId: number, content: string) =>
  createDocument(app, token, serviceId, { type: 'openapi', title: 'API', content });
const view = (id: number): Promise<ServiceView> => app.app.get(ServiceRegistry, { strict: false }).view(1, id);
const match = async (id: number, method: string, url: string) =>
  (await app.app.get(OperationIndex, { strict: false }).match(await view(id), method, url))?.summary ?? null;

describe('documents', () => {
  it('are stored, listed, changed and deleted; only reading one returns its content', async () => {
    const { id } = await createService(app, token);
    const first = await createDocument(app, token, id, { type: 'markdown', title: 'Guide', content: '# Grüße', id: 9 });
    expect(first).toEqual({
      id: expect.any(Number),
      type: 'markdown',
      title: 'Guide',
      sizeBytes: 9,
      operationCount: 0,
      ignored: [],
      ignoredCount: 0,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    const path = `/services/${id}/documentation/${first.id}`;
    expect((await call(app, `GET ${path}`, { token })).body).toEqual({ ...first, content: '# Grüße' });
    const list = await call<DocumentSummary[]>(app, `GET /services/${id}/documentation`, { token });
    expect([list.status, list.body]).toEqual([200, [first]]);

    const renamed = await call<DocumentSummary>(app, `PUT ${path}`, {
      token,
      body: { title: 'Handbook', serviceId: 1 },
    });
    expect([renamed.status, renamed.body]).toEqual([
      200,
      { ...first, title: 'Handbook', updatedAt: expect.any(String) },
    ]);
    const deleted = await call<MessageResponse>(app, `DELETE ${path}`, { token });
    expect([deleted.status, deleted.body]).toEqual([200, { message: expect.any(String) }]);
    for (const route of [`GET ${path}`, `DELETE ${path}`]) {
      const answer = await call(app, route, { token });
      expect([answer.status, answer.body]).toEqual([404, { error: 'Document not found', statusCode: 404 }]);
    }
    const gone = await call(app, `PUT ${path}`, { token, body: { title: 'x' } });
    expect([gone.status, gone.body.error]).toEqual([404, 'Document not found']);
  });

  it('that stand in are replaced by the first real document, and by nothing else', async () => {
    const { id } = await createService(app, token);
    const standIn = (title: string) =>
      createDocument(app, token, id, {
        type: 'openapi',
        title,
        content: JSON.stringify({ 'x-agent-gateway-stand-in': true, openapi: '3.1.0', paths: { '/a': { get: {} } } }),
      });
    const titles = async () =>
      (await call<DocumentSummary[]>(app, `GET /services/${id}/documentation`, { token })).body.map(
        ({ title }) => title,
      );
    await standIn('Small');
    await createDocument(app, token, id, { type: 'markdown', title: 'Guide', content: '# A' });
    await createDocument(app, token, id, { type: 'openapi', title: 'Empty', content: openapi({}) });
    expect(await titles()).toEqual(['Small', 'Guide', 'Empty']);
    await standIn('Small again');
    expect(await titles()).toEqual(['Guide', 'Empty', 'Small again']);
    const real = openapi(
      { '/a': { get: { summary: 'Real' } } },
      { info: { title: '"x-agent-gateway-stand-in":true' } },
    );
    await addOpenApi(id, real);
    expect(await titles()).toEqual(['Guide', 'Empty', 'API']);
    expect(await match(id, 'GET', `${(await view(id)).baseUrl}/a`)).toBe('Real');
    await addOpenApi(id, real);
    expect(await titles()).toEqual(['Guide', 'Empty', 'API', 'API']);
    const [record] = await app.database.query<{ details: object }[]>(
      `SELECT details FROM audit_records WHERE reason = 'document.deleted' ORDER BY id DESC LIMIT 1`,
    );
    expect(record.details).toMatchObject({ document: { title: 'Small again' } });
  });

  it('of another service are not found', async () => {
    const one = await createService(app, token);
    const two = await createService(app, token);
    const document = await createDocument(app, token, one.id);
    for (const [method, body] of [['GET'], ['PUT', { title: 'x' }], ['DELETE']] as [string, object?][]) {
      const answer = await call(app, `${method} /services/${two.id}/documentation/${document.id}`, { token, body });
      expect([answer.status, answer.body.error]).toEqual([404, 'Document not found']);
    }
  });

  it.each([
    [{ type: 'pdf' }, /^type: /],
    [{ title: '' }, /^title: /],
    [{ title: 'x'.repeat(256) }, /^title: /],
    [{ content: '' }, /^content: /],
    [{ content: 1 }, /^content: /],
    [{ type: 'openapi', content: 'no: document' }, /^content: must have a version at "openapi"/],
    [
      { type: 'openapi', content: '{"openapi": "3.0.0",\n "paths": {"/secret" {}}}' },
      /^content: is not valid JSON: expected ":" at line 2, column 22 \(position 42\)$/,
    ],
    [{ type: 'openapi', content: 'openapi: 3.0.0\npaths: [' }, /^content: is not valid JSON or YAML: .* at line 2/s],
  ])('refuse %j', async (fields, message) => {
    const { id } = await createService(app, token);
    const body = { type: 'text', title: 't', content: 'c', ...fields };
    const answer = await call(app, `POST /services/${id}/documentation`, { token, body });
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringMatching(message), statusCode: 400 }]);
    expect((await call(app, `GET /services/${id}/documentation`, { token })).body).toEqual([]);
  });

  it('refuse an empty change, and content that does not parse', async () => {
    const { id } = await createService(app, token);
    const content = openapi({ '/a': { get: {} } });
    const document = await addOpenApi(id, content);
    const path = `/services/${id}/documentation/${document.id}`;
    const empty = await call(app, `PUT ${path}`, { token, body: {} });
    expect([empty.status, empty.body.error]).toEqual([400, 'At least one of type, title, content is required']);
    expect((await call(app, `PUT ${path}`, { token, body: { content: 'nothing' } })).status).toBe(400);
    expect((await call(app, `GET ${path}`, { token })).body).toEqual({ ...document, content });
    const text = await createDocument(app, token, id);
    const answer = await call(app, `PUT /services/${id}/documentation/${text.id}`, {
      token,
      body: { type: 'openapi' },
    });
    expect(answer.status).toBe(400);
  });

  it('have an id', async () => {
    const { id } = await createService(app, token);
    for (const docId of ['0', 'x', '2147483648', '1e3']) {
      const answer = await call(app, `GET /services/${id}/documentation/${docId}`, { token });
      expect([answer.status, answer.body.error]).toEqual([400, 'docId: must be an integer from 1 to 2147483647']);
    }
  });

  it('are limited to fifty for a service, also in parallel', async () => {
    const { id } = await createService(app, token);
    await Promise.all(Array.from({ length: 48 }, () => createDocument(app, token, id)));
    const body = { type: 'text', title: 't', content: 'c' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => call(app, `POST /services/${id}/documentation`, { token, body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400, 400, 400]);
  });
});

describe('the operations of an OpenAPI document', () => {
  it('are listed with the names of their parameters, fields and tags on request', async () => {
    const { id } = await createService(app, token);
    const schema = { properties: { amount: {}, currency: {}, id: { readOnly: true } } };
    const post = {
      tags: ['Billing'],
      parameters: [{ in: 'query', name: 'expand' }],
      requestBody: { content: { 'application/json': { schema } } },
    };
    await addOpenApi(id, openapi({ '/charges': { post } }));
    const path = `GET /services/${id}/operations`;
    const [listed] = (await call<DocumentedOperation[]>(app, path, { token })).body;
    const { body } = await call<DocumentedOperation[]>(app, `${path}?include=fields`, { token });
    const names = {
      queryParameters: ['expand'],
      fields: ['amount', 'currency'],
      tags: ['Billing'],
      pathPattern: '/charges',
    };
    expect(body).toEqual([{ ...listed, ...names }]);
    expect(listed).not.toHaveProperty('fields');
    expect(await call(app, `${path}?include=all`, { token })).toMatchObject({
      status: 400,
      body: { error: 'include: must be one of the following values: fields' },
    });
  });

  it('have no names if an older version stored the document', async () => {
    const { id } = await createService(app, token);
    await addOpenApi(id, openapi({ '/charges': { get: {} } }));
    await app.database.query('UPDATE documented_operations SET facts = NULL WHERE service_id = $1', [id]);
    const { body } = await call(app, `GET /services/${id}/operations?include=fields`, { token });
    expect(body).toMatchObject([{ queryParameters: [], fields: [], tags: [] }]);
  });

  it('are listed, and follow every change of the document', async () => {
    const { id } = await createService(app, token);
    const list = async () =>
      (await call<DocumentedOperation[]>(app, `GET /services/${id}/operations`, { token })).body.map(
        ({ method, path }) => `${method} ${path}`,
      );
    const yaml = 'openapi: 3.0.0\npaths:\n  /b: {get: {operationId: getB, summary: B}}\n  /a: {get: {}, delete: {}}\n';
    const document = await addOpenApi(id, yaml);
    expect(document.operationCount).toBe(3);
    const { body } = await call<DocumentedOperation[]>(app, `GET /services/${id}/operations`, { token });
    expect(body.at(-1)).toEqual({
      documentId: document.id,
      method: 'GET',
      path: '/b',
      operationId: 'getB',
      summary: 'B',
    });
    expect(await list()).toEqual(['DELETE /a', 'GET /a', 'GET /b']);
    const path = `PUT /services/${id}/documentation/${document.id}`;
    await call(app, path, { token, body: { title: 'Renamed' } });
    expect(await list()).toHaveLength(3);
    await call(app, path, { token, body: { content: openapi({ '/c': { put: {} } }) } });
    expect(await list()).toEqual(['PUT /c']);
    await call(app, path, { token, body: { type: 'text' } });
    expect(await list()).toEqual([]);
    await call(app, path, { token, body: { type: 'openapi' } });
    expect(await list()).toEqual(['PUT /c']);
    await call(app, `DELETE /services/${id}/documentation/${document.id}`, { token });
    expect(await list()).toEqual([]);
  });

  it('come with what was ignored: when the document is added, changed, read and listed', async () => {
    const { id } = await createService(app, token);
    const content = openapi({ '/a': { get: {}, trace: {} } }, { webhooks: { paid: {} } });
    const document = await addOpenApi(id, content);
    expect([document.operationCount, document.ignoredCount, document.ignored]).toEqual([
      1,
      2,
      [
        { where: '#/paths/~1a/trace', why: 'is not a method that agents can use' },
        { where: '#/webhooks/paid', why: 'describes calls that the API makes, not calls to the API' },
      ],
    ]);
    const path = `/services/${id}/documentation/${document.id}`;
    expect((await call(app, `GET ${path}`, { token })).body).toEqual({ ...document, content });
    expect((await call(app, `GET /services/${id}/documentation`, { token })).body).toEqual([document]);
    const renamed = await call<DocumentSummary>(app, `PUT ${path}`, { token, body: { title: 'Renamed' } });
    expect(renamed.body.ignored).toEqual(document.ignored);
    const many = openapi(Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`p${at}`, {}])));
    const changed = await call<DocumentSummary>(app, `PUT ${path}`, { token, body: { content: many } });
    expect([changed.body.ignoredCount, changed.body.ignored.length]).toEqual([150, 100]);
    const text = await call<DocumentSummary>(app, `PUT ${path}`, { token, body: { type: 'text' } });
    expect([text.body.ignoredCount, text.body.ignored]).toEqual([0, []]);
  });

  it('say nothing about what was ignored before that was counted', async () => {
    const { id } = await createService(app, token);
    const document = await addOpenApi(id, openapi({}));
    await app.database.query('UPDATE service_documents SET ignored_count = DEFAULT WHERE id = $1', [document.id]);
    const { body } = await call<DocumentSummary[]>(app, `GET /services/${id}/documentation`, { token });
    expect([body[0].ignoredCount, body[0].ignored]).toEqual([null, []]);
  });

  it('belong to the stored content after parallel changes', async () => {
    const { id } = await createService(app, token);
    const document = await addOpenApi(id, openapi({ '/0': { get: {} } }));
    const path = `/services/${id}/documentation/${document.id}`;
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        call(app, `PUT ${path}`, { token, body: { content: openapi({ [`/${i + 1}`]: { get: {} } }) } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const { body } = await call<ServiceDocument>(app, `GET ${path}`, { token });
    const operations = await call<DocumentedOperation[]>(app, `GET /services/${id}/operations`, { token });
    expect(operations.body.map((operation) => operation.path)).toEqual(Object.keys(JSON.parse(body.content).paths));
  });

  it.each([
    ['https://api.example.com/v1', undefined, '/customers/{id}', '/v1/customers/42'],
    ['https://api.example.com/v1', 'https://api.example.com/v1', '/customers/{id}', '/v1/customers/42'],
    ['https://api.example.com', 'https://api.example.com/v1', '/customers/{id}', '/v1/customers/42'],
    ['https://api.example.com/v1/', '/v1', '/customers/{id}', '/v1/customers/42'],
    ['https://api.example.com/v1', undefined, '/v1/customers/{id}', '/v1/customers/42'],
    ['https://api.example.com/mirror', 'https://origin.example.com/v1', '/customers/{id}', '/mirror/v1/customers/42'],
    ['https://api.example.com/v1', undefined, '/customers/{id}', '/v1/customers/4%2F2/'],
  ])('match below %s with the server %s: %s is %s', async (baseUrl, server, template, path) => {
    const { id } = await createService(app, token, { baseUrl });
    const servers = server === undefined ? {} : { servers: [{ url: server }] };
    await addOpenApi(id, openapi({ [template]: { get: { summary: 'this' }, delete: { summary: 'that' } } }, servers));
    expect(await match(id, 'GET', `https://api.example.com${path}?q=1`)).toBe('this');
    expect(await match(id, 'DELETE', `https://api.example.com${path}`)).toBe('that');
    expect(await match(id, 'PUT', `https://api.example.com${path}`)).toBeNull();
    expect(await match(id, 'GET', `https://api.example.com${path.replace('customers', 'orders')}`)).toBeNull();
  });

  it('match the most literal template across all documents', async () => {
    const { id } = await createService(app, token);
    await addOpenApi(
      id,
      openapi({ '/{a}/{b}': { get: { summary: 'any' } }, '/users/{id}': { get: { summary: 'user' } } }),
    );
    await addOpenApi(id, openapi({ '/users/me': { get: { summary: 'me' } } }));
    const at = (path: string) => match(id, 'GET', `https://api.example.com/v1${path}`);
    expect(await Promise.all([at('/users/me'), at('/users/7'), at('/x/y'), at('/x')])).toEqual([
      'me',
      'user',
      'any',
      null,
    ]);
  });

  it('match by their query, and by parameters that span segments', async () => {
    const { id } = await createService(app, token);
    const multi = { get: { summary: 'commit', parameters: [{ $ref: '#/components/parameters/ref' }] } };
    const components = { parameters: { ref: { name: 'sha', in: 'path', 'x-multi-segment': true } } };
    await addOpenApi(
      id,
      openapi(
        {
          '/search?type=user': { get: { summary: 'users' } },
          '/search?type=org': { get: { summary: 'organisations' } },
          '/repos/{path}': { get: { summary: 'file' } },
          '/repos/{owner}/{repo}': { get: { summary: 'repository' } },
          '/commits/{sha}/status': multi,
          '/users/{id}': { get: { summary: 'user' } },
        },
        { components },
      ),
    );
    const at = (path: string) => match(id, 'GET', `https://api.example.com/v1${path}`);
    const paths = ['/search?q=1&type=org', '/search', '/repos/a/b/c', '/repos/a/b', '/commits/heads/x/y/status'];
    expect(await Promise.all(paths.map(at))).toEqual(['organisations', null, 'file', 'repository', 'commit']);
    expect(await at('/users/7/keys')).toBeNull();
  });

  it('match the current documentation', async () => {
    const { id } = await createService(app, token);
    const document = await addOpenApi(id, openapi({ '/a': { get: { summary: 'old' } } }));
    expect(await match(id, 'GET', 'https://api.example.com/v1/a')).toBe('old');
    const body = { content: openapi({ '/a': { get: { summary: 'new' } } }) };
    await call(app, `PUT /services/${id}/documentation/${document.id}`, { token, body });
    expect(await match(id, 'GET', 'https://api.example.com/v1/a')).toBe('new');
    await call(app, `DELETE /services/${id}/documentation/${document.id}`, { token });
    expect(await match(id, 'GET', 'https://api.example.com/v1/a')).toBeNull();
  });
});

describe('the documentation in a prompt', () => {
  const documentation = async (id: number, method: string, path: string, budget: number) =>
    app.app
      .get(DocumentationReader, { strict: false })
      .documentationFor(1, await view(id), method, `https://api.example.com/v1${path}`, budget);

  it('is the operation, then the prose about the path, within the budget', async () => {
    const { id } = await createService(app, token);
    expect(await documentation(id, 'DELETE', '/customers/42', 1_000)).toBe('');
    await addOpenApi(
      id,
      openapi({
        '/customers/{id}': { delete: { description: 'Irreversible.' } },
        '/x': { get: { summary: 'unrelated' } },
      }),
    );
    const content = '# Orders\nOrders are harmless.\n# Customers\nDeleting /customers/{id} also deletes invoices.';
    await createDocument(app, token, id, { type: 'markdown', title: 'Guide', content });
    const text = await documentation(id, 'DELETE', '/customers/42', 1_000);
    expect(text).toMatch(/^\{"operation":"DELETE \/customers\/\{id\}","description":"Irreversible\."/);
    expect(text).toContain('[Guide]\n# Customers\nDeleting /customers/{id} also deletes invoices.');
    expect(text).not.toMatch(/harmless|unrelated/);
    for (const budget of [0, 10, 60, 120]) {
      expect((await documentation(id, 'DELETE', '/customers/42', budget)).length).toBeLessThanOrEqual(budget);
    }
  });
});

describe('large documents', () => {
  it('of nearly 20 MB are accepted, and other requests are answered meanwhile', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [`/p${i}/{id}`, { get: { summary: `Operation ${i}` }, put: {} }]),
    );
    const content = openapi(paths, { 'x-padding': 'p'.repeat(19 * 1024 * 1024) });
    const longestRequest = async (): Promise<number> => {
      const { id } = await createService(app, token);
      let longestMs = 0;
      let done = false;
      const watch = (async () => {
        while (!done) {
          const started = performance.now();
          await call(app, 'GET /health');
          longestMs = Math.max(longestMs, performance.now() - started);
        }
      })();
      const start = performance.now();
      const answer = await call<DocumentSummary>(app, `POST /services/${id}/documentation`, {
        token,
        body: { type: 'openapi', title: 'Large', content },
      });
      const wholeMs = performance.now() - start;
      done = true;
      await watch;
      expect([answer.status, answer.body.operationCount]).toEqual([201, 2_000]);
      expect(await match(id, 'GET', 'https://api.example.com/v1/p77/x')).toBe('Operation 77');
      return longestMs / wholeMs;
    };
    // A blocked event loop would make one request wait for the whole upload.
    expect(await lowest(longestRequest, 0.5)).toBeLessThan(0.5);
  });

  it('over 20 MB are refused', async () => {
    const { id } = await createService(app, token);
    const body = { type: 'text', title: 't', content: 'x'.repeat(20 * 1024 * 1024) };
    const answer = await call(app, `POST /services/${id}/documentation`, { token, body });
    expect([answer.status, answer.body.error]).toEqual([413, 'Request body exceeds 20MB limit']);
  });
});
