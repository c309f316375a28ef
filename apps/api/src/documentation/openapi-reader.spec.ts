import { lowest } from '../../test/support/lowest.js';
import { OpenApiReader } from './openapi-reader.js';

const reader = new OpenApiReader();
const readWhole = (document: unknown) =>
  reader.read(typeof document === 'string' ? document : JSON.stringify(document));
const read = async (document: unknown) => (await readWhole(document)).operations;

const petstore = {
  openapi: '3.1.0',
  servers: [{ url: 'https://{region}.example.com/{base}/', variables: { base: { default: 'v2' } } }],
  paths: {
    '/pets/{id}': {
      parameters: [{ $ref: '#/components/parameters/id' }],
      get: { operationId: 'getPet', summary: 'One pet', responses: { 200: { $ref: '#/components/responses/pet' } } },
      delete: { summary: 'Remove', description: 'Permanently deletes.', deprecated: true, 'x-secret': 'hidden' },
      trace: { summary: 'not a method of ours' },
    },
    '/pets': {
      post: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        servers: [{ url: '/other' }],
      },
    },
    'x-note': { get: {} },
    '/broken': null,
  },
  components: {
    parameters: { id: { name: 'id', in: 'path', required: true, schema: { type: 'integer' } } },
    responses: { pet: { description: 'The pet' } },
    schemas: {
      Pet: {
        type: 'object',
        properties: { name: { type: 'string', example: 'Rex' }, parent: { $ref: '#/components/schemas/Pet' } },
      },
    },
  },
};

describe('OpenApiReader', () => {
  it('splits a document into its operations', async () => {
    const operations = await read(petstore);
    expect(operations.map(({ method, path, serverPath }) => [method, path, serverPath])).toEqual([
      ['GET', '/pets/{id}', '/v2'],
      ['DELETE', '/pets/{id}', '/v2'],
      ['POST', '/pets', '/other'],
    ]);
    expect(operations[0]).toMatchObject({ operationId: 'getPet', summary: 'One pet', description: null });
    expect(JSON.parse(operations[0].excerpt)).toEqual({
      operation: 'GET /pets/{id}',
      summary: 'One pet',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      responses: { 200: 'The pet' },
      operationId: 'getPet',
    });
    expect(operations[1].excerpt).toContain('"description":"Permanently deletes.","deprecated":true');
    expect(operations[1].excerpt).not.toContain('hidden');
  });

  it('says what it ignores', async () => {
    const { ignored, ignoredCount } = await readWhole(petstore);
    expect(ignored).toEqual([
      { where: '#/paths/~1pets~1{id}/trace', why: 'is not a method that agents can use' },
      { where: '#/paths/~1broken', why: 'is not an object' },
    ]);
    expect(ignoredCount).toBe(2);
  });

  it('resolves references, and cyclic references only once', async () => {
    const [, , post] = await read(petstore);
    expect(JSON.parse(post.excerpt).requestBody.content['application/json'].schema).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, parent: { $ref: '#/components/schemas/Pet' } },
    });
  });

  it('reads YAML with anchors, and Swagger 2', async () => {
    const operations = await read(
      'swagger: 2.0\nbasePath: /api\nx: &shared {summary: "Shared\\0"}\npaths:\n  /a:\n    get: *shared\n    put:\n      <<: *shared\n',
    );
    expect(operations.map(({ method, serverPath, summary }) => [method, serverPath, summary])).toEqual([
      ['GET', '/api', 'Shared'],
      ['PUT', '/api', 'Shared'],
    ]);
  });

  it('ignores defaults of server variables that are not text', async () => {
    const variables = { a: { default: { toString: 1 } }, b: { default: 'v2' }, constructor: {} };
    const servers = [{ url: '/{a}/{b}/{c}', variables }];
    const [operation] = await read({ openapi: '3.0.0', servers, paths: { '/x': { get: {} } } });
    expect(operation.serverPath).toBe('/a/v2/c');
  });

  it('keeps the excerpt within its budget even if references fan out', async () => {
    const levels = Array.from({ length: 7 }, (_, i) => [
      `l${i}`,
      Array.from({ length: 40 }, () => ({ $ref: `#/components/schemas/l${i + 1}` })),
    ]);
    const document = {
      openapi: '3.0.0',
      paths: { '/a': { post: { requestBody: { $ref: '#/components/schemas/l0' }, description: 'd'.repeat(9_000) } } },
      components: { schemas: Object.fromEntries([...levels, ['l7', { type: 'string' }]]) },
    };
    const [{ excerpt, description }] = await read(document);
    expect(excerpt.length).toBeLessThanOrEqual(4_000);
    expect(description).toHaveLength(2_000);
  });

  it.each<readonly [string, RegExp]>([
    [
      '{"openapi": "3.0.0",\n "paths": {]}',
      /is not valid JSON: expected a name in double quotes at line 2, column 12 \(position 32\)$/,
    ],
    ['{"openapi": "3.0.0", "paths": }', /is not valid JSON: expected a value at line 1, column 31/],
    ['\uFEFF{"openapi": "3.0.0", "paths": }', /is not valid JSON: expected a value at line 1, column 31/],
    [
      '{\n  "openapi": "3.0.0",\n  "paths": {\n',
      /is not valid JSON: the text ends where a name in double quotes is expected at line 4, column 1/,
    ],
    [
      '{"openapi": "3.0.0", "paths": {"/secret" {}}}',
      /is not valid JSON: expected ":" at line 1, column 42 \(position 41\)$/,
    ],
    ['{openapi: 3.0.0, paths: {]}', /is not valid JSON or YAML: /],
    ['openapi: 3.0.0\npaths:\n  /a: [\n', /at line 4, column 1/],
    ['openapi: 3.0.0\npaths: {}\npaths: {}\n', /at line 3, column 1/],
    ['\ttabs: are not indentation', /at line 1, column 1/],
    ['just some text', /must be an OpenAPI document: an object, at line 1/],
    ['[]', /must be an OpenAPI document/],
    ['null', /must be an OpenAPI document/],
    ['{}', /must have a version at "openapi"/],
    ['{"openapi": {}}', /must have a version at "openapi"/],
    ['{"openapi": "3.0.0"}', /must have an object at "paths"/],
    ['{"openapi": "3.0.0", "paths": []}', /must have an object at "paths"/],
    ['openapi: 3.0.0\npaths: *nothing\n', /alias/],
    ...['4.0.0', '3.3.0', '2.0', '3.10.0', 'v3', '3.0.x', ''].map(
      (version) =>
        [
          `{"openapi": "${version}", "paths": {}}`,
          /has an unknown version at "openapi" in line 1, column 13: known are OpenAPI 3.0, 3.1 and 3.2, and Swagger 2.0$/,
        ] as const,
    ),
    ...['1.2', '3.0.0', '2.1'].map(
      (version) => [`{"swagger": "${version}", "paths": {}}`, /unknown version at "swagger" in line 1/] as const,
    ),
    ['info: {}\n# next\nopenapi:   2.0\npaths: {}\n', /has an unknown version at "openapi" in line 3, column 12: /],
    ['{"info": {},\n "openapi":\n  "2.0", "paths": {}}', /has an unknown version at "openapi" in line 3, column 3: /],
  ])('says what is wrong with %j', async (content, message) => {
    await expect(read(content)).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(new RegExp(`^content: .*${message.source}`, 's')),
    });
  });

  it.each([
    '"openapi": "3.0.0"',
    '"openapi": "3.0.4"',
    '"openapi": "3.1.1"',
    '"openapi": "3.2.0"',
    '"openapi": 3.1',
    '"swagger": "2.0"',
  ])('reads version %s', async (version) => {
    await expect(read(`{${version}, "paths": {"/a": {"get": {}}}}`)).resolves.toHaveLength(1);
    if (version.endsWith('.0"'))
      await expect(read(`${version.replace(/"/g, '')}\npaths: {/a: {get: {}}}`)).resolves.toHaveLength(1);
  });

  it('does not quote documents that it cannot read', async () => {
    const secret = 'sk-planted-in-a-document';
    const padding = 'x'.repeat(1_000_001);
    for (const content of [
      `{"openapi": "3.0.0", "paths": ${secret}}`,
      `{"openapi": "3.0.0", "paths": {}, "x": "${padding}", ${secret}: 1}`,
      `{"x": "${padding}", "y": "${secret}`,
      `openapi: 3.0.0\npaths: *${secret}\n`,
      `openapi: 3.0.0\npaths: !${secret} {}\n  ${secret}`,
      `openapi: 3.0.0\n@${secret}: {}\n`,
      `${secret}: 1\n${secret}: 2\n`,
      `openapi: ${secret}\npaths: {}\n`,
      `- ${secret}`,
    ]) {
      const error = await read(content).then(
        () => null,
        (thrown: Error) => thrown,
      );
      expect([content.slice(-60), error?.message]).toEqual([content.slice(-60), expect.stringMatching(/^content: /)]);
      expect(error!.message).not.toContain('planted');
      expect(error!.message).not.toContain('xxx');
    }
  });

  it('uses the first sentence of the description if there is no summary', async () => {
    const operation = (fields: object) => ({ openapi: '3.0.0', paths: { '/a': { get: fields } } });
    const summary = async (fields: object) => (await read(JSON.stringify(operation(fields))))[0].summary;
    expect(await summary({ description: '<p>Deletes a release.</p> It cannot be undone.' })).toBe('Deletes a release.');
    expect(await summary({ summary: '', description: 'Version 2.1 of it\nlists all' })).toBe(
      'Version 2.1 of it lists all',
    );
    expect(await summary({ summary: 'Own', description: 'Other.' })).toBe('Own');
    expect((await summary({ description: 'word '.repeat(300) }))!.length).toBeLessThanOrEqual(120);
    expect(await summary({ description: '<p> </p>' })).toBeNull();
    expect(await summary({})).toBeNull();
  });

  it('says where large JSON becomes invalid', async () => {
    const content = `{"openapi": "3.0.0", "x": "${'x'.repeat(1_000_001)}",\n "paths": {} "y": 1}`;
    await expect(read(content)).rejects.toThrow(
      /^content: is not valid JSON: expected "," or "}" at line 2, column 14 \(position \d+\)$/,
    );
    // For these, V8's error quotes the text and has no position.
    const cut = `{"openapi": "3.0.0",\n "x": "${'x'.repeat(1_000_001)}`;
    await expect(read(cut)).rejects.toThrow(
      /^content: is not valid JSON: unterminated string at line 2, column 7 \(position 27\)$/,
    );
    await expect(read(cut.replace('"openapi"', '"openapi": tru, "secret"'))).rejects.toThrow(
      /^content: is not valid JSON: expected a value at line 1, column 13 \(position 12\)$/,
    );
  });

  it('explains errors in deeply nested JSON as JSON errors', async () => {
    const cut = `{"openapi": "3.0.0", "paths": ${'['.repeat(200_000)}`;
    await expect(read(cut)).rejects.toThrow(
      /^content: is not valid JSON: the text ends where a value is expected at line 1/,
    );
  });

  it('accepts faulty JSON that is valid YAML', async () => {
    await expect(read('{"openapi": "3.0.0", "paths": {"/a": {"get": {},},},} # commas')).resolves.toHaveLength(1);
  });

  it('refuses documents that expand or nest too much', async () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 10; i++) {
      const [name, previous] = [String.fromCharCode(97 + i), String.fromCharCode(96 + i)];
      bomb.push(`${name}: &${name} [${Array(10).fill(`*${previous}`).join(',')}]`);
    }
    await expect(read(`${bomb.join('\n')}\nopenapi: 3.0.0\npaths: {}`)).rejects.toMatchObject({ statusCode: 400 });
    await expect(read(`openapi: ${'['.repeat(100_000)}`)).rejects.toMatchObject({ statusCode: 400 });
  });

  it('limits the number of operations', async () => {
    const paths = Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`/p${i}`, { get: {}, put: {} }]));
    await expect(read({ openapi: '3.0.0', paths })).rejects.toThrow(
      'content: must not have more than 10000 operations',
    );
  });

  it('does not block the event loop', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 9_000 }, (_, i) => [`/p${i}`, { get: { summary: 's'.repeat(500), responses: {} } }]),
    );
    const content = JSON.stringify({ openapi: '3.0.0', paths, 'x-padding': 'p'.repeat(5_000_000) });
    const longestTick = async (): Promise<number> => {
      let longestMs = 0;
      const start = performance.now();
      let last = start;
      const ticker = setInterval(() => {
        longestMs = Math.max(longestMs, performance.now() - last);
        last = performance.now();
      }, 1);
      const operations = await read(content);
      const end = performance.now();
      clearInterval(ticker);
      expect(operations).toHaveLength(9_000);
      // A blocked event loop does not tick at all.
      return Math.max(longestMs, end - last) / (end - start);
    };
    // A blocked event loop would make one tick as long as the whole.
    expect(await lowest(longestTick, 0.5)).toBeLessThan(0.5);
  });
});

it('reads a small anchor in every operation, and refuses a bomb', async () => {
  const paths = Array.from({ length: 150 }, (_, id) => `  /a${id}: {get: {parameters: *p, responses: *p}}`).join('\n');
  await expect(read(`openapi: 3.0.0\nx-p: &p [{name: id, in: query}]\npaths:\n${paths}\n`)).resolves.toHaveLength(150);
  const levels = Array.from({ length: 9 }, (_, level) => `x${level + 1}: &b${level + 1} [${`*b${level},`.repeat(9)}]`);
  const bomb = `openapi: 3.0.0\nx0: &b0 [1]\n${levels.join('\n')}\npaths: {}\n`;
  await expect(read(bomb)).rejects.toThrow(/expands too much/);
});

it('reads a document that describes only webhooks', async () => {
  const found = await readWhole({ openapi: '3.1.0', webhooks: { paid: { post: {} } } });
  expect(found).toEqual({
    operations: [],
    ignored: [{ where: '#/webhooks/paid', why: 'describes calls that the API makes, not calls to the API' }],
    ignoredCount: 1,
  });
});
