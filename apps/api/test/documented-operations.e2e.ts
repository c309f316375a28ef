import type { DocumentedOperation, DocumentSummary, ServiceDocument } from '#contracts';
import { call } from './support/accounts.js';
import { openapi, openApiDocuments } from './support/attached-documents.js';
import { createService, signUp } from './support/resources.js';
import { startApp, type TestApp } from './support/start-app.js';

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startApp();
  token = await signUp(app, 'ada@example.com');
});
afterAll(() => app.close());

const { addOpenApi, match } = openApiDocuments(() => ({ app, token }));

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
