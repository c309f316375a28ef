import { operationUrl } from './operation-url.js';

describe('operationUrl', () => {
  it.each([
    ['https://a.example', '', '/customers/{id}', 'https://a.example/customers/{id}'],
    ['https://a.example/v1', '', '/customers', 'https://a.example/v1/customers'],
    ['https://a.example/v1/', '', '/customers', 'https://a.example/v1/customers'],
    ['https://a.example/v1', '/v1', '/customers', 'https://a.example/v1/customers'],
    ['https://a.example', '/v1', '/customers', 'https://a.example/v1/customers'],
    ['https://a.example/api', '/api/v1', '/customers', 'https://a.example/api/v1/customers'],
    ['https://a.example/v1', '', '/v1/customers', 'https://a.example/v1/customers'],
    ['https://a.example/v1', '/v12', '/customers', 'https://a.example/v1/customers'],
    ['https://a.example:8443/v1', '/v1', '/a/{b}', 'https://a.example:8443/v1/a/{b}'],
  ])('for the base URL %s, server path %j and path %s is %s', (baseUrl, serverPath, path, expected) => {
    expect(operationUrl(baseUrl, { serverPath, path })).toBe(expected);
  });
});
