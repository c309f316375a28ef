import { doubtfulPrefix } from './credential-prefix.js';

describe('doubtfulPrefix', () => {
  it.each([
    ['bearer', 'token', 'Bearer abc', 'Bearer '],
    ['bearer', 'token', 'bearer  abc', 'bearer  '],
    ['oauth2', 'access_token', 'token abc', 'token '],
    ['api_key', 'X-API-Key', 'Basic abc', 'Basic '],
  ] as const)('finds one in %s %s %j', (authType, name, value, prefix) => {
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
  ] as const)('finds none in %s %s %j', (authType, name, value) => {
    expect(doubtfulPrefix(authType, name, value)).toBe('');
  });
});
