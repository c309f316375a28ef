import { doubtfulPrefix } from './credential-prefix.js';

describe('doubtfulPrefix', () => {
  it.each([
    ['bearer', 'token', 'Bearer abc', 'Bearer '],
    ['bearer', 'token', 'bearer  abc', 'bearer  '],
    ['oauth2', 'access_token', 'token abc', 'token '],
    ['api_key', 'X-API-Key', 'Basic abc', 'Basic '],
  ] as const)('%s %s %j begins with one', (authType, name, value, prefix) => {
    expect(doubtfulPrefix(authType, name, value)).toBe(prefix);
  });

  it.each([
    ['bearer', 'token', 'abc'],
    ['bearer', 'token', 'Bearer'],
    ['bearer', 'token', 'Bearer '],
    ['bearer', 'token', 'token_abc'],
    ['api_key', 'Authorization', 'Bearer abc'],
    ['api_key', 'Proxy-Authorization', 'Bearer abc'],
    ['basic', 'password', 'token abc'],
  ] as const)('%s %s %j does not', (authType, name, value) => {
    expect(doubtfulPrefix(authType, name, value)).toBe('');
  });
});
