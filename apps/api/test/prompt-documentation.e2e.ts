import { DocumentationReader } from '../src/documentation/documentation-reader.js';
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

const { addOpenApi, view } = openApiDocuments(() => ({ app, token }));

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
