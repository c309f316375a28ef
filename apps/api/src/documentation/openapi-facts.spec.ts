import { takeApart } from './openapi-operations.mjs';

const factsOf = (operation: object, others: object = {}, item: object = {}) =>
  takeApart({ openapi: '3.1.0', paths: { '/a': { post: operation, ...item } }, ...others }, 10).operations[0].facts;
const json = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } });
const properties = (...names: string[]) => ({ properties: Object.fromEntries(names.map((name) => [name, {}])) });

describe('the facts of an operation', () => {
  it('are its tags, its query parameters and whether it is deprecated', () => {
    const parameters = [
      { name: 'page', in: 'query' },
      { name: 'id', in: 'path' },
      { $ref: '#/components/parameters/dry' },
    ];
    const components = { parameters: { dry: { name: 'dry_run', in: 'query' } } };
    const shared = { parameters: [{ name: 'fields', in: 'query' }] };
    expect(factsOf({ tags: ['orders', 7], deprecated: true, parameters }, { components }, shared)).toEqual({
      tags: ['orders'],
      deprecated: true,
      queryParameters: ['page', 'dry_run', 'fields'],
      fields: [],
    });
    expect(factsOf({ tags: 'x', deprecated: 'yes', parameters: { a: 1 } })).toEqual({
      tags: [],
      deprecated: false,
      queryParameters: [],
      fields: [],
    });
  });

  it.each([
    ['a schema', json(properties('amount', 'currency')), ['amount', 'currency']],
    ['nested fields', json({ properties: { a: properties('b') } }), ['a']],
    [
      'parts',
      json({ allOf: [properties('a'), { oneOf: [properties('b'), { anyOf: [properties('c')] }] }] }),
      ['a', 'b', 'c'],
    ],
    ['references', json({ $ref: '#/components/schemas/Loop' }), ['again']],
    ['a body elsewhere', { requestBody: { $ref: '#/components/requestBodies/Body' } }, ['there']],
    [
      'several types',
      {
        requestBody: {
          content: {
            'application/json': { schema: properties('a') },
            'multipart/form-data': { schema: properties('b') },
          },
        },
      },
      ['a', 'b'],
    ],
    ['fields of answers', json({ properties: { id: { readOnly: true }, name: {} } }), ['name']],
    ['a body of Swagger 2.0', { parameters: [{ in: 'body', name: 'body', schema: properties('a') }] }, ['a']],
    ['a form of Swagger 2.0', { parameters: [{ in: 'formData', name: 'file' }] }, ['file']],
    ['no schema', { requestBody: { content: { 'text/plain': {} } } }, []],
    ['a schema that is none', json({ properties: 7, allOf: {} }), []],
  ])('have the fields of %s', (_what, operation, fields) => {
    const loop = { allOf: [{ $ref: '#/components/schemas/Loop' }, properties('again')] };
    const body = json(properties('there')).requestBody;
    const components = { schemas: { Loop: loop }, requestBodies: { Body: body } };
    expect(factsOf(operation, { components }).fields).toEqual(fields);
  });

  it('are bounded, and a name is there as it is or not at all', () => {
    const many = Array.from({ length: 500 }, (_, at) => `${'n'.repeat(90)}${at}`);
    const facts = factsOf({
      ...json(properties('', 'a\0b', '\ud800', 'x'.repeat(101), ...many)),
      tags: many,
      parameters: many.map((name) => ({ name, in: 'query' })),
    });
    expect(JSON.stringify(facts).length).toBeLessThanOrEqual(4_000);
    for (const list of [facts.tags, facts.queryParameters, facts.fields]) {
      expect(list.length).toBeGreaterThan(5);
      expect(many).toEqual(expect.arrayContaining(list));
    }
  });

  it('end where references fan out', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `S${at}`,
        {
          allOf: Array.from({ length: 10 }, () => ({ $ref: `#/components/schemas/S${at + 1}` })),
          ...properties(`p${at}`),
        },
      ]),
    );
    const facts = factsOf(json({ $ref: '#/components/schemas/S0' }), { components: { schemas } });
    expect(facts.fields.slice(0, 2)).toEqual(['p0', 'p1']);
  });
});
