import { assertBaseUrl } from './base-url.js';

describe('assertBaseUrl', () => {
  it.each([
    'https://api.example.com',
    'http://api.example.com:8080/v1/',
    'HTTPS://API.example.com/a%20b',
    'http://127.0.0.1:3000',
    'http://[::1]/x',
    'https://bücher.example/@me',
  ])('takes %s', (text) => {
    expect(() => assertBaseUrl(text)).not.toThrow();
  });

  it.each([
    '',
    'api.example.com',
    'ftp://api.example.com',
    'javascript:alert(1)',
    'https://',
    'https:///path',
    'https:api.example.com',
    'https:\\\\api.example.com',
    'https://api.example.com\\v1',
    ' https://api.example.com',
    'https://api.example.com/a b',
    'https://api.example.com/\u0085',
    'https://api.example.com:99999',
    'https://[::g]/',
  ])('refuses %j, which is not a URL', (text) => {
    expect(() => assertBaseUrl(text)).toThrow('baseUrl: must be a valid http or https URL');
  });

  it.each([
    'https://user@api.example.com',
    'https://user:pass@api.example.com',
    'https://@api.example.com',
    'https://api.example.com?',
    'https://api.example.com/?a=1',
    'https://api.example.com#',
  ])('refuses %s, which contains more than an address', (text) => {
    expect(() => assertBaseUrl(text)).toThrow('must not contain user information, a query or a fragment');
  });
});
