import type { DocumentSummary, MessageResponse } from '#contracts';
import { call } from './support/accounts.js';
import { openapi, openApiDocuments } from './support/attached-documents.js';
import { createDocument, createService, signUp } from './support/resources.js';
import { startApp, type TestApp } from './support/start-app.js';

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startApp();
  token = await signUp(app, 'ada@example.com');
});
afterAll(() => app.close());

const { addOpenApi, match, view } = openApiDocuments(() => ({ app, token }));

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
