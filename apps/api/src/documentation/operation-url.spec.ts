import fc from 'fast-check';
import { globMatches } from '../request-reading/path-glob.js';
import { operationPattern, operationUrl } from './operation-url.js';

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

describe('operationPattern', () => {
  const pattern = (baseUrl: string, serverPath: string, path: string, comparedPath: string | null = null) =>
    operationPattern(baseUrl, { path, comparedPath, serverPath });

  it.each([
    ['https://a.example', '', '/customers/{id}', '/customers/*'],
    ['https://a.example/v1/', '/v1', '/customers', '/customers'],
    ['https://a.example', '/v1', '/customers', '/v1/customers'],
    ['https://a.example/v1', '', '/v1/customers', '/customers'],
    ['https://A.example:443/v1', '/v1', '/customers', '/customers'],
    ['https://a.example', '', '/files/{name}.{type}', '/files/*.*'],
    ['https://a.example', '', '/jobs/{id}:cancel', '/jobs/*:cancel'],
  ])('for the base URL %s, server path %j and path %s is %s', (baseUrl, serverPath, path, expected) => {
    expect(pattern(baseUrl, serverPath, path)).toBe(expected);
  });

  it('has ** for a parameter that spans segments', () => {
    expect(pattern('https://a.example', '', '/repos/{+path}', '/repos/{path+}')).toBe('/repos/**');
  });

  it.each(['', '/?Action=Delete', '/#X-Amz-Target=Delete', '/a/{b'])('is none for the path %j', (path) => {
    expect(pattern('https://a.example', '', path)).toBeNull();
  });

  it('fits the URL of the operation, whatever its parameters are', () => {
    const word = fc.stringMatching(/^[a-z]{1,4}$/);
    const segment = fc.oneof(
      word,
      fc.constant('{p}'),
      word.map((text) => `{p}:${text}`),
    );
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`);
    const base = fc.constantFrom('', '/', '/v1', '/v1/', '/api/v1');
    fc.assert(
      fc.property(base, fc.constantFrom('', '/v1', '/api/v1'), path, word, (basePath, serverPath, template, value) => {
        const baseUrl = `https://a.example${basePath}`;
        const url = operationUrl(baseUrl, { path: template, serverPath }).replaceAll('{p}', value);
        const below = url.slice(baseUrl.replace(/\/$/, '').length);
        expect(globMatches(pattern(baseUrl, serverPath, template)!, below)).toBe(true);
      }),
    );
  });
});
