import type { OperationCall } from '../src/documentation/described-operations.js';
import { OperationIndex } from '../src/documentation/operation-index.js';
import type { DescribedOperation } from '../src/effects/described-operation.js';
import { describeRequest } from '../src/request-reading/request-summary.js';
import { call } from './support/accounts.js';
import { openapi, openApiDocuments } from './support/attached-documents.js';
import { createService, signUp } from './support/resources.js';
import { startApp, type TestApp } from './support/start-app.js';

let app: TestApp;
let token: string;
let index: OperationIndex;
beforeAll(async () => {
  app = await startApp();
  token = await signUp(app, 'ada@example.com');
  index = app.app.get(OperationIndex, { strict: false });
});
afterAll(() => app.close());

const { addOpenApi, view } = openApiDocuments(() => ({ app, token }));
const request = (method: string, path: string): OperationCall => ({
  method,
  targetUrl: `https://api.example.com/v1${path}`,
});
const describeCall = async (id: number, given: OperationCall) => index.describe(await view(id), given);

const REFUND = {
  operationId: 'createRefund',
  summary: 'Refund an order',
  tags: ['refunds'],
  deprecated: true,
  parameters: [{ name: 'dry_run', in: 'query' }],
  requestBody: { content: { 'application/json': { schema: { properties: { amount: {}, currency: {} } } } } },
};
const DESCRIBED: DescribedOperation = {
  id: 'createRefund',
  method: 'POST',
  path: '/orders/{id}/refunds',
  summary: 'Refund an order',
  tags: ['refunds'],
  deprecated: true,
  queryParameters: ['dry_run'],
  fields: ['amount', 'currency'],
  annotations: null,
  mayLower: true,
};

describe('what is known of a documented operation', () => {
  it('is what its document says', async () => {
    const { id } = await createService(app, token);
    await addOpenApi(id, openapi({ '/orders/{id}/refunds': { post: REFUND, get: {} } }));
    expect(await describeCall(id, request('POST', '/orders/7/refunds?dry_run=true'))).toEqual(DESCRIBED);
    expect(await describeCall(id, request('GET', '/orders/7/refunds'))).toEqual({
      id: null,
      method: 'GET',
      path: '/orders/{id}/refunds',
      summary: '',
      tags: [],
      deprecated: false,
      queryParameters: [],
      fields: [],
      annotations: null,
      mayLower: true,
    });
    expect(await describeCall(id, request('PUT', '/orders/7/refunds'))).toBeNull();
    expect(await describeCall(id, { method: 'POST', targetUrl: 'no URL' })).toBeNull();
  });

  it('is nothing where servers may read the path in different ways', async () => {
    const { id } = await createService(app, token);
    await addOpenApi(id, openapi({ '/orders/{id}/refunds': { post: REFUND } }));
    expect(await describeCall(id, request('POST', '/orders/7%2F8/refunds'))).toBeNull();
    expect(index.described(await view(id), request('POST', '/orders/7%2F8/refunds'))).toBeNull();
  });

  it('is in memory after the first request for it', async () => {
    const { id } = await createService(app, token);
    expect(index.described(await view(id), request('POST', '/orders/7/refunds'))).toBeNull();
    await addOpenApi(id, openapi({ '/orders/{id}/refunds': { post: REFUND, get: {} } }));
    const service = await view(id);
    expect(index.described(service, request('POST', '/orders/7/refunds'))).toBeUndefined();
    const [one, other] = await Promise.all([
      index.describe(service, request('POST', '/orders/7/refunds')),
      index.describe(service, request('POST', '/orders/8/refunds')),
    ]);
    // The same object: they shared one query.
    expect(one).toBe(other);
    expect(index.described(service, request('POST', '/orders/9/refunds'))).toBe(one);
    expect(index.described(service, request('GET', '/orders/9/refunds'))).toBeUndefined();
    expect(index.described(service, request('PUT', '/orders/9/refunds'))).toBeNull();
  });

  it('follows every change of the document', async () => {
    const { id } = await createService(app, token);
    const document = await addOpenApi(id, openapi({ '/orders/{id}/refunds': { post: REFUND } }));
    const before = await view(id);
    expect((await index.describe(before, request('POST', '/orders/7/refunds')))?.fields).toEqual([
      'amount',
      'currency',
    ]);
    const path = `/services/${id}/documentation/${document.id}`;
    const content = openapi({ '/orders/{id}/refunds': { post: { summary: 'Refund', tags: ['new'] } } });
    await call(app, `PUT ${path}`, { token, body: { content } });
    expect(index.described(await view(id), request('POST', '/orders/7/refunds'))).toBeUndefined();
    expect(await describeCall(id, request('POST', '/orders/7/refunds'))).toMatchObject({
      id: null,
      summary: 'Refund',
      tags: ['new'],
      fields: [],
    });
    await call(app, `DELETE ${path}`, { token });
    expect(index.described(await view(id), request('POST', '/orders/7/refunds'))).toBeNull();
  });

  it('is that of a path whose last parameter spans segments, without what only a document permits', async () => {
    const { id } = await createService(app, token);
    const put = { summary: 'Store an object', tags: ['objects'], parameters: [{ name: 'dry_run', in: 'query' }] };
    await addOpenApi(id, openapi({ '/{Bucket}/{Key}': { put } }));
    expect(await describeCall(id, request('PUT', '/photos/2026/cat.jpg'))).toMatchObject({
      path: '/{Bucket}/{Key+}',
      summary: 'Store an object',
      tags: ['objects'],
      queryParameters: [],
    });
    expect(await describeCall(id, request('PUT', '/photos/cat.jpg'))).toMatchObject({
      path: '/{Bucket}/{Key}',
      queryParameters: ['dry_run'],
    });
    const service = await view(id);
    const url = `${service.baseUrl}/photos/2026/cat.jpg`;
    const operation = await index.match(service, 'PUT', url);
    expect(describeRequest('PUT', new URL(url), service, operation)).toBe('Store an object · cat.jpg of photos/2026');
  });

  it('is its texts alone if an earlier version stored the document, until it is saved again', async () => {
    const { id } = await createService(app, token);
    const content = openapi({ '/orders/{id}/refunds': { post: REFUND } });
    const document = await addOpenApi(id, content);
    await app.database.query('UPDATE documented_operations SET facts = NULL WHERE document_id = $1', [document.id]);
    const texts = { ...DESCRIBED, tags: [], deprecated: false, queryParameters: [], fields: [] };
    expect(await describeCall(id, request('POST', '/orders/7/refunds'))).toEqual(texts);
    const body = { content: `${content}\n` };
    await call(app, `PUT /services/${id}/documentation/${document.id}`, { token, body });
    expect(await describeCall(id, request('POST', '/orders/7/refunds'))).toEqual(DESCRIBED);
  });
});
