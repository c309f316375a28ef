import { readOpenApi } from './read-openapi.js';

describe('readOpenApi', () => {
  it('takes title, address and the number of operations from JSON', async () => {
    const document = {
      openapi: '3.1.0',
      info: { title: ' Customers ' },
      servers: [{ url: 'https://api.example.com/v1/' }],
      paths: { '/a': { get: {}, delete: {}, parameters: [] }, '/b': { post: {} } },
    };
    expect(await readOpenApi(JSON.stringify(document))).toEqual({
      title: 'Customers',
      baseUrl: 'https://api.example.com/v1',
      operations: 3,
    });
  });

  it('reads YAML and Swagger 2', async () => {
    const yaml = 'swagger: "2.0"\nhost: api.example.com\nbasePath: /v2\nschemes: [http, https]\npaths: {}\n';
    expect(await readOpenApi(yaml)).toEqual({ title: null, baseUrl: 'https://api.example.com/v2', operations: 0 });
  });

  it('leaves an address with variables to the user', async () => {
    const document = { openapi: '3.0.0', servers: [{ url: 'https://{region}.example.com' }] };
    expect((await readOpenApi(JSON.stringify(document))).baseUrl).toBeNull();
  });

  it.each(['{"a":1}', 'just text', '[]', '{"openapi":'])('refuses %j', async (content) => {
    await expect(readOpenApi(content)).rejects.toThrow();
  });
});
