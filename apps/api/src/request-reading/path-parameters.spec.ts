import { pathParameters } from './path-parameters.js';

describe('pathParameters', () => {
  it.each([
    ['/customers/{id}', '/customers/42', { id: '42' }],
    ['/customers/{id}', '/v1/customers/a%2Fb', { id: 'a/b' }],
    ['/repos/{owner}/{repo}/merges', '/repos/acme/api/merges', { owner: 'acme', repo: 'api' }],
    ['/files/{name}.json', '/files/a.json', {}],
    ['/{bucket}/{key+}', '/b/k/l', {}],
    ['/a/{id}', '/7', {}],
    ['', '/mcp', {}],
  ])('reads %s from %s', (template, path, expected) => {
    expect({ ...pathParameters(template, path) }).toEqual(expected);
  });
});
